"""Find hints for a hot loop.  Each change is tried out on the model before a hint proposes it."""
