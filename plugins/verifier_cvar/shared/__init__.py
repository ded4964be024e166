"""What is declared of several algorithms alike."""
