"""ELA, which plans exactly."""
