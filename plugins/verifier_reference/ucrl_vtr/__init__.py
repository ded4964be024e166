"""UCRL-VTR."""
