"""`python cli.py judge --facts …` in a checkout is `fiel judge --facts …` when installed."""

from engine.cli import main

if __name__ == "__main__":
    main()
