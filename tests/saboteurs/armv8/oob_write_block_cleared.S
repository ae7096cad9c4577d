// saboteur: oob-write at line 19: the block of 64 bytes holds what is before and behind dst too
/*toml
summary   = "dst[i] = 0, 16 and more bytes"
prototype = "void (uint8_t *dst, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
dst = { reg = "x0", write = "n", align = 16 }
n   = { reg = "x1", range = [16, 4096], step = 16 }
*/

// DC ZVA clears the whole block of 64 bytes that its address lies in (DCZID_EL0 says that it may, and how large).

    .text
    .p2align 4
    .global oob_write_block_cleared
    .type   oob_write_block_cleared, %function
oob_write_block_cleared:
1:
    dc      zva, x0
    add     x0, x0, #16
    subs    x1, x1, #16
    b.ne    1b
    ret
    .size   oob_write_block_cleared, . - oob_write_block_cleared

    .section .note.GNU-stack,"",%progbits
