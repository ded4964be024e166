"""Former place of the settings; whoever imports it learns the new one."""

raise ImportError(
    "the settings are a package of their own, `verifier_settings`: write `from verifier_settings.episodic import ...` "
    "in place of `from verifier.settings.episodic import ...`"
)
