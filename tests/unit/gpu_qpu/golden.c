/* SPDX-License-Identifier: MIT
 *
 * The model must give the same bits on every host. The test runs 10240 operand pairs through each operation of the
 * ALUs, the SFU, pack and unpack, hashes the results (and carries and masks), and compares the hashes with those
 * recorded in golden_rows.h. The other tests of this folder check that results are right; this one checks that they do
 * not depend on the compiler, the processor or its rounding mode.
 *
 * golden list            prints the names and hashes of all rows on this host
 * golden print NAME      prints the pairs and results of one row, for a comparison between two hosts
 */
#include <stdio.h>
#include <string.h>
#include "harness.h"
#include "model/gpu/gpu_sfu.h"

#define VECTORS 640u /* of 16 lanes */

enum kind { ADD, SATURATE, MUL, SFU, UNPACK_A_INT, UNPACK_A_FLOAT, UNPACK_R4, PACK_A_INT, PACK_A_FLOAT, PACK_MUL };

struct row {
    const char *name;
    enum kind kind;
    unsigned op; /* an operation, a pack or unpack mode, or an SFU register */
    uint64_t hash;
};

static struct row rows[] = {
#include "golden_rows.h"
};

/* -- operands -- */

/* All pairs of these are tested first: zeros, ones, ends of ranges, infinities, NaNs, denormals, shift amounts. */
static const uint32_t special[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x40000000, 0x3f000000, 0x33800000, 0x3effffff,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff8fffff,
    0x4effffff, 0x4f000000, 0xcf000000, 0x4b7fffff, 0x7fffffff, 0xffffffff, 0x0000001f, 0x00000020,
};

static uint32_t next_word(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)(*seed >> 32);
}

/* The n-th operand pair. After the special pairs come, in turn: random bits; floats within 2^16 of each other; a
 * special value and random bits; small integers. */
static void operands(unsigned n, uint64_t *seed, uint32_t *a, uint32_t *b)
{
    unsigned count = ARRAY_SIZE(special);
    uint32_t x = next_word(seed), y = next_word(seed);

    if (n < count * count) {
        *a = special[n / count];
        *b = special[n % count];
    } else if (n % 4 == 0) {
        *a = x;
        *b = y;
    } else if (n % 4 == 1) {
        *a = (x & 0x87ffffff) | 0x38000000;
        *b = (y & 0x87ffffff) | 0x38000000;
    } else if (n % 4 == 2) {
        *a = n & 4 ? special[x % count] : x;
        *b = n & 4 ? y : special[y % count];
    } else {
        *a = x >> (y & 31);
        *b = (uint32_t)((int32_t)y >> (x & 31));
    }
}

/* -- one operation on one vector: the result, and its carry or mask in `other` -- */

static void apply(const struct row *row, const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out,
                  union gpu_vec *other)
{
    gpu_vec_splat(other, 0);
    switch (row->kind) {
    case ADD:
        gpu_add_fn(row->op)(a, b, out);
        gpu_add_carry(row->op, a, b, out, other);
        break;
    case SATURATE:
        gpu_add_fn(row->op)(a, b, out);
        gpu_add_saturate(row->op, QPU_PACK_A_32_SAT, a, b, out);
        break;
    case MUL:
        gpu_mul_fn(row->op)(a, b, out);
        gpu_mul_carry(row->op, a, b, other);
        break;
    case SFU:
        gpu_sfu(row->op, a, out);
        break;
    case UNPACK_A_INT:
    case UNPACK_A_FLOAT:
        gpu_unpack_a(row->op, row->kind == UNPACK_A_FLOAT, a, out);
        break;
    case UNPACK_R4:
        gpu_unpack_r4(row->op, a, out);
        break;
    case PACK_A_INT:
    case PACK_A_FLOAT:
        gpu_vec_splat(other, gpu_pack_a(row->op, row->kind == PACK_A_FLOAT, a, out));
        break;
    case PACK_MUL:
        gpu_vec_splat(other, gpu_pack_mul(row->op, a, out));
        break;
    }
}

static uint64_t hash_word(uint64_t hash, uint32_t word)
{
    for (unsigned byte = 0; byte < 4; byte++)
        hash = (hash ^ (word >> 8 * byte & 0xff)) * UINT64_C(0x100000001b3); /* FNV-1a */
    return hash;
}

static uint64_t run_row(const struct row *row, bool print)
{
    uint64_t seed = UINT64_C(88172645463325252), hash = UINT64_C(0xcbf29ce484222325);

    for (unsigned v = 0; v < VECTORS; v++) {
        union gpu_vec a, b, out, other;
        for (unsigned l = 0; l < QPU_LANES; l++)
            operands(v * QPU_LANES + l, &seed, &a.u[l], &b.u[l]);
        struct gpu_fp_mode mode = gpu_fp_enter();
        apply(row, &a, &b, &out, &other);
        gpu_fp_leave(mode);
        for (unsigned l = 0; l < QPU_LANES; l++) {
            hash = hash_word(hash_word(hash, out.u[l]), other.u[l]);
            if (print)
                printf("%08x %08x: %08x %08x\n", a.u[l], b.u[l], out.u[l], other.u[l]);
        }
    }
    return hash;
}

static void check_row(void **state)
{
    const struct row *row = *state;
    uint64_t hash = run_row(row, false);

    if (hash != row->hash)
        fail_msg("%016llx, recorded %016llx; compare `golden print %s` with another host's", (unsigned long long)hash,
                 (unsigned long long)row->hash, row->name);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "list")) {
        for (unsigned n = 0; n < ARRAY_SIZE(rows); n++)
            printf("%s %016llx\n", rows[n].name, (unsigned long long)run_row(&rows[n], false));
        return 0;
    }
    if (argc == 3 && !strcmp(argv[1], "print")) {
        for (unsigned n = 0; n < ARRAY_SIZE(rows); n++) {
            if (!strcmp(argv[2], rows[n].name))
                run_row(&rows[n], true);
        }
        return 0;
    }

    struct CMUnitTest tests[ARRAY_SIZE(rows)];
    for (size_t n = 0; n < ARRAY_SIZE(rows); n++)
        tests[n] = (struct CMUnitTest){rows[n].name, check_row, NULL, NULL, &rows[n]};
    return _cmocka_run_group_tests("gpu_qpu_golden", tests, ARRAY_SIZE(tests), NULL, NULL);
}
