/* SPDX-License-Identifier: MIT
 *
 * The operations of lower_f64.h and lower_i64.h as tables: how each is built as a shader, and what the host says of its
 * results.
 */
#ifndef F64_OPS_H
#define F64_OPS_H

#include "compiler/lower/lower_i64.h"

/* What an operation takes and gives. */
enum f64_kind {
    F64_DOUBLE, /* two words; NaN equals NaN */
    F64_LONG,   /* two words, an integer */
    F64_INT,    /* one word, an integer */
    F64_SINGLE, /* one word, the bits of a 32-bit float; NaN equals NaN */
    F64_HALF,   /* one word, the bits of a 16-bit float; NaN equals NaN */
    F64_BOOL,   /* one word, 0 or 1 */
    F64_COUNT,  /* one word, 0 to 63 */
};

#define F64_MAX_OPERANDS 3

struct f64_values {
    uint64_t v[F64_MAX_OPERANDS];
};

struct f64_operation {
    const char *name;
    uint8_t operands;                    /* operands beyond the first are doubles unless second is given */
    uint8_t operand, second, result;     /* enum f64_kind */
    struct ir_f64 (*build)(struct ir_builder *b, const struct ir_f64 x[F64_MAX_OPERANDS]); /* one word: in lo */
    uint64_t (*reference)(const struct f64_values *x); /* F64_UNDEFINED if any result is right */
};

#define F64_UNDEFINED UINT64_C(0x7ff0123456789abc)

extern const struct f64_operation f64_operations[];
extern const uint32_t f64_operation_count;
extern const struct f64_operation i64_operations[];
extern const uint32_t i64_operation_count;

bool f64_kind_is_wide(uint8_t kind);
bool f64_same(uint8_t kind, uint64_t x, uint64_t y);

/* The bits of the 16-bit float that x becomes. */
uint32_t f64_half_of(double x, bool toward_zero);

/* Operands that make trouble: special values, neighbours, halfway cases, results around the limits of the format. */
struct f64_random {
    uint64_t state;
};
uint64_t f64_random_bits(struct f64_random *r);
void f64_random_operands(struct f64_random *r, const struct f64_operation *op, struct f64_values *out);

/* A shader that reads the operands with `read` (word number) and passes the words of the result to `write`. */
void f64_build(struct ir_shader *shader, const struct f64_operation *op,
               struct ir_instr *(*read)(struct ir_builder *b, uint32_t word),
               void (*write)(struct ir_builder *b, uint32_t word, struct ir_instr *value));

#endif
