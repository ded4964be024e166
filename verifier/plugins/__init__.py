"""Discovery of plugins, and the care with which their code is run in this process."""
