"""Name the script of the page, as the browser asks for it."""

SCRIPT = "/_neonlab/neon.js"
