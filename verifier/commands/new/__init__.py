"""`verifier new`: a complete plugin project to start from."""
