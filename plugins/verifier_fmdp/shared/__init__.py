"""What several algorithms here share: claims, constants, bugs."""
