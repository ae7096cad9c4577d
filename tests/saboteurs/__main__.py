"""Write every wrong kernel to build/saboteurs, as the manual's page on faults uses them."""

from __future__ import annotations

from tests.saboteurs import BUILD, write_all

if __name__ == "__main__":
    write_all(BUILD)
    print(BUILD)
