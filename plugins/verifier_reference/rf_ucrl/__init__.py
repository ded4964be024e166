"""RF-UCRL."""
