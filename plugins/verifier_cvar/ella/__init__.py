"""ELLA, which plans by simulation on rounded rewards."""
