/* SPDX-License-Identifier: MIT
 *
 * Prints operations before scheduling, for debugging.
 */
#include "compiler/qpu/qc_ir.h"

#include <inttypes.h>
#include <stdarg.h>

struct text {
    char *out;
    size_t size_B, used_B;
};

static void put(struct text *t, const char *fmt, ...) UTIL_PRINTF(2, 3);

static void put(struct text *t, const char *fmt, ...)
{
    va_list va;
    va_start(va, fmt);
    int n = vsnprintf(t->out + t->used_B, t->size_B - t->used_B, fmt, va);
    va_end(va);
    t->used_B = MIN2(t->used_B + (size_t)MAX2(n, 0), t->size_B - 1);
}

static void put_src(struct text *t, const struct qc_program *p, struct qc_src s)
{
    switch (s.kind) {
    case QC_SRC_NONE:
        return;
    case QC_SRC_TEMP:
        put(t, " t%" PRIu32, s.index);
        if (s.unpack)
            put(t, ".%u", s.unpack);
        return;
    case QC_SRC_UNIFORM:
        put(t, " u(%u %u %" PRIu32 ")", p->uniforms[s.index].kind, p->uniforms[s.index].ref, p->uniforms[s.index].data);
        return;
    case QC_SRC_CONST:
        put(t, " 0x%" PRIx32, s.index);
        return;
    default:
        put(t, " read%u", s.raddr);
    }
}

int qc_print_instr(const struct qc_program *p, const struct qc_instr *i, char *out, size_t size_B)
{
    static const char *const conds[8] = {".never", "", ".zs", ".zc", ".ns", ".nc", ".cs", ".cc"};
    struct text t = {out, size_B, 0};
    out[0] = 0;
    if (i->dst != QC_NONE)
        put(&t, "t%" PRIu32 " ", i->dst);
    if (i->waddr != QPU_W_NOP)
        put(&t, "w%u ", i->waddr);
    if (i->result != QC_NONE)
        put(&t, "(t%" PRIu32 ") ", i->result);
    if (i->kind == QC_ALU)
        put(&t, "= %s/%s", i->op_add ? qpu_add_op_name(i->op_add) : "-", i->op_mul ? qpu_mul_op_name(i->op_mul) : "-");
    else if (i->kind == QC_LOAD_IMM)
        put(&t, "= load 0x%" PRIx32, i->imm);
    else
        put(&t, "= kind %u sig %u", i->kind, i->sig);
    put(&t, "%s", conds[i->cond & 7]);
    if (i->sf)
        put(&t, ".sf[%" PRIu32 "]", i->sets);
    if (i->uses)
        put(&t, " if[%" PRIu32 "]", i->uses);
    if (i->pack)
        put(&t, " pack %u:%u", i->pm, i->pack);
    if (i->rotate)
        put(&t, " rot %u", i->rotate);
    put_src(&t, p, i->src[0]);
    put_src(&t, p, i->src[1]);
    return (int)t.used_B;
}

void qc_print(FILE *to, const struct qc_program *p)
{
    char line[256];
    qc_for_each_block(b, p) {
        fprintf(to, "block %" PRIu32 "%s\n", b->index, b->is_target ? " (target)" : "");
        qc_for_each_instr(i, b) {
            qc_print_instr(p, i, line, sizeof line);
            fprintf(to, "    %s\n", line);
        }
        if (b->target)
            fprintf(to, "    branch %u [%" PRIu32 "] -> %" PRIu32 "\n", b->branch_cond, b->branch_uses,
                    b->target->index);
    }
}
