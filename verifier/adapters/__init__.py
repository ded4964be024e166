"""Bridges to other libraries; each imports its library when it is used, and needs the extra of that name."""
