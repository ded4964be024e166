"""``python -m verifier`` is ``verifier``."""

from verifier.cli.main import main

if __name__ == "__main__":
    main()
