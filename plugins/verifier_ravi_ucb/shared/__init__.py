"""What is declared of both instantiations alike."""
