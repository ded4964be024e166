"""BPI-UCRL."""
