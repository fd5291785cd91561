"""``python -m genome_core.cli`` is the command ``genome``."""

from genome_core.cli import main

if __name__ == "__main__":
    main()
