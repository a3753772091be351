/* SPDX-License-Identifier: MIT
 *
 * Prints QPU instructions as text (docs/qpu-text.md). The text is complete: qpu_parse returns the same instruction.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "hw/qpu_text.h"

struct printer {
    char *out;
    size_t size_B;
    int length; /* as snprintf counts: may exceed size_B */
};

static void UTIL_PRINTF(2, 3) append(struct printer *p, const char *fmt, ...)
{
    size_t used_B = MIN2((size_t)p->length, p->size_B);
    va_list va;

    va_start(va, fmt);
    p->length += vsnprintf(p->size_B ? p->out + used_B : NULL, p->size_B - used_B, fmt, va);
    va_end(va);
}

/* -- which parts of an instruction the text omits ----------------------------------------------------------------- */

static unsigned add_side(const struct qpu_instr *i)
{
    return i->ws;
}

/* File A packing belongs to the result that goes to side A, mul packing to the mul result. */
static bool add_is_packed(const struct qpu_instr *i)
{
    return i->pack && !i->pm && !i->ws;
}

static bool mul_is_packed(const struct qpu_instr *i)
{
    return i->pack && (i->pm || i->ws);
}

static bool slot_is_idle(const struct qpu_instr *i, bool mul)
{
    if (mul)
        return i->waddr_mul == QPU_W_NOP && i->cond_mul == QPU_COND_NEVER && !mul_is_packed(i);
    return i->waddr_add == QPU_W_NOP && i->cond_add == QPU_COND_NEVER && !add_is_packed(i);
}

static bool alu_mul_is_plain_nop(const struct qpu_instr *i)
{
    return i->op_mul == QPU_M_NOP && slot_is_idle(i, true) && i->mul_a == 0 && i->mul_b == 0;
}

static bool alu_add_is_plain_nop(const struct qpu_instr *i)
{
    return i->op_add == QPU_A_NOP && slot_is_idle(i, false) && i->add_a == 0 && i->add_b == 0;
}

/* Whether the text shows an operand that reads `mux`. The operand fields of a plain nop are not printed. */
static bool prints_mux(const struct qpu_instr *i, unsigned mux)
{
    bool add = i->add_a == mux || i->add_b == mux;
    bool mul = i->mul_a == mux || i->mul_b == mux;

    return (add && !alu_add_is_plain_nop(i)) || (mul && !alu_mul_is_plain_nop(i));
}

static bool rotates(const struct qpu_instr *i)
{
    return i->sig == QPU_SIG_SMALL_IMM && i->raddr_b >= QPU_SMALL_IMM_ROTATE_R5;
}

/* -- pieces ------------------------------------------------------------------------------------------------------- */

static void print_raddr(struct printer *p, unsigned side, unsigned raddr)
{
    if (qpu_text_raddr[side][raddr])
        append(p, "%s", qpu_text_raddr[side][raddr]);
    else
        append(p, "r%c%u", side ? 'b' : 'a', raddr);
}

static void print_small_imm(struct printer *p, unsigned code)
{
    if (code < 32)
        append(p, "%d", (int)qpu_small_imm_value(code));
    else if (code < 40)
        append(p, "%u.0", 1u << (code - 32));
    else if (code < 48)
        append(p, "1/%u", 1u << (48 - code));
    else
        append(p, "imm%u", code);
}

static void print_raddr_b(struct printer *p, const struct qpu_instr *i)
{
    if (i->sig == QPU_SIG_SMALL_IMM)
        print_small_imm(p, i->raddr_b);
    else
        print_raddr(p, 1, i->raddr_b);
}

static void print_operand(struct printer *p, const struct qpu_instr *i, unsigned mux)
{
    if (mux == QPU_MUX_A)
        print_raddr(p, 0, i->raddr_a);
    else if (mux == QPU_MUX_B)
        print_raddr_b(p, i);
    else
        append(p, "r%u", mux);
    if (i->unpack && mux == (i->pm ? QPU_MUX_R4 : QPU_MUX_A))
        append(p, ".%s", qpu_text_unpack[i->unpack]);
}

static void print_dst(struct printer *p, const struct qpu_instr *i, bool mul)
{
    unsigned side = add_side(i) ^ mul;
    unsigned waddr = mul ? i->waddr_mul : i->waddr_add;

    if (waddr < 32)
        append(p, "r%c%u", side ? 'b' : 'a', waddr);
    else
        append(p, "%s", qpu_text_waddr[side][waddr]);
    if (mul ? mul_is_packed(i) : add_is_packed(i)) {
        append(p, i->pm ? ".m%s" : ".%s", qpu_text_pack_a[i->pack]);
    }
}

static void print_cond(struct printer *p, unsigned cond, unsigned usual)
{
    if (cond != usual)
        append(p, ".%s", qpu_text_cond[cond]);
}

static void print_op(struct printer *p, const struct qpu_instr *i, bool mul)
{
    unsigned op = mul ? i->op_mul : i->op_add;
    unsigned a = mul ? i->mul_a : i->add_a, b = mul ? i->mul_b : i->add_b;
    const char *name = mul ? qpu_mul_op_name(op) : qpu_add_op_name(op);
    unsigned args = mul ? qpu_mul_op_args(op) : name ? qpu_add_op_args(op) : 2;
    bool sf = i->sf && (mul ? i->op_add == QPU_A_NOP && i->op_mul != QPU_M_NOP
                            : i->op_add != QPU_A_NOP || i->op_mul == QPU_M_NOP);

    if (a == b && op == (mul ? QPU_M_V8MIN : QPU_A_OR)) {
        name = "mov";
        args = 1;
    }
    if (name)
        append(p, "%s", name);
    else
        append(p, "op%u", op);
    print_cond(p, mul ? i->cond_mul : i->cond_add, op ? QPU_COND_ALWAYS : QPU_COND_NEVER);
    if (sf)
        append(p, ".sf");
    if (mul && rotates(i)) {
        if (i->raddr_b == QPU_SMALL_IMM_ROTATE_R5)
            append(p, ".rot_r5");
        else
            append(p, ".rot%u", i->raddr_b - QPU_SMALL_IMM_ROTATE_R5);
    }
    if (mul ? alu_mul_is_plain_nop(i) : alu_add_is_plain_nop(i))
        return;
    append(p, " ");
    print_dst(p, i, mul);
    append(p, ", ");
    print_operand(p, i, a);
    if (args != 1 || a != b) {
        append(p, ", ");
        print_operand(p, i, b);
    }
}

/* Prints that the add result goes to side B, unless a register name or the pack mode implies it. */
static void print_ws(struct printer *p, const struct qpu_instr *i)
{
    bool is_implied = qpu_text_waddr_tells_side(i->waddr_add) || qpu_text_waddr_tells_side(i->waddr_mul) ||
                      (i->pack && !i->pm && i->sig != QPU_SIG_BRANCH);

    if (i->ws && !is_implied)
        append(p, " ; ws");
}

/* -- the three kinds of instruction ------------------------------------------------------------------------------- */

static void print_alu(struct printer *p, const struct qpu_instr *i)
{
    bool mul_printed = !alu_mul_is_plain_nop(i) || rotates(i);
    bool b_printed = prints_mux(i, QPU_MUX_B) || rotates(i);
    bool a_printed = prints_mux(i, QPU_MUX_A);
    bool unpack_printed = !i->unpack || (i->pm ? prints_mux(i, QPU_MUX_R4) : a_printed);

    print_op(p, i, false);
    if (mul_printed) {
        append(p, " ; ");
        print_op(p, i, true);
    }
    if (i->sig != QPU_SIG_NONE && i->sig != QPU_SIG_SMALL_IMM)
        append(p, " ; %s", qpu_text_sig[i->sig]);
    if ((!a_printed && i->raddr_a != QPU_R_NOP) || (!i->pm && !unpack_printed)) {
        append(p, " ; read ");
        print_raddr(p, 0, i->raddr_a);
        if (!i->pm && !unpack_printed)
            append(p, ".%s", qpu_text_unpack[i->unpack]);
    }
    if (!b_printed && (i->raddr_b != QPU_R_NOP || i->sig == QPU_SIG_SMALL_IMM)) {
        append(p, " ; read ");
        print_raddr_b(p, i);
    }
    if (i->pm && i->unpack && !unpack_printed)
        append(p, " ; pm.%s", qpu_text_unpack[i->unpack]);
    else if (i->pm && !i->unpack && !i->pack)
        append(p, " ; pm");
    print_ws(p, i);
}

static void print_load_imm(struct printer *p, const struct qpu_instr *i)
{
    append(p, "%s", qpu_text_load_imm[i->unpack]);
    print_cond(p, i->cond_add, QPU_COND_ALWAYS);
    append(p, "%s ", i->sf ? ".sf" : "");
    print_dst(p, i, false);
    append(p, ", 0x%" PRIx32, i->imm);
    if (!slot_is_idle(i, true)) {
        append(p, " ; %s", qpu_text_load_imm[i->unpack]);
        print_cond(p, i->cond_mul, QPU_COND_ALWAYS);
        append(p, " ");
        print_dst(p, i, true);
    }
    if (i->pm && !i->pack)
        append(p, " ; pm");
    print_ws(p, i);
}

static void print_branch(struct printer *p, const struct qpu_instr *i)
{
    struct qpu_instr link = *i;

    link.pack = 0; /* in a branch this field holds the condition, not a pack mode */
    append(p, "br.%s ", qpu_text_branch_cond[i->pack]);
    if (i->branch_rel)
        append(p, "pc + ");
    if (i->branch_reg)
        append(p, "ra%u + ", i->raddr_a);
    append(p, "%" PRId32, (int32_t)i->imm);
    if (i->waddr_add != QPU_W_NOP || i->waddr_mul != QPU_W_NOP) {
        append(p, " ; link ");
        print_dst(p, &link, false);
        append(p, ", ");
        print_dst(p, &link, true);
    }
    if (!i->branch_reg && i->raddr_a)
        append(p, " ; read ra%u", i->raddr_a);
    print_ws(p, i);
}

int qpu_print(const struct qpu_instr *instr, char *out, size_t size_B)
{
    struct printer p = {.out = out, .size_B = size_B};

    if (size_B)
        out[0] = 0;
    if (instr->sig == QPU_SIG_BRANCH)
        print_branch(&p, instr);
    else if (instr->sig == QPU_SIG_LOAD_IMM)
        print_load_imm(&p, instr);
    else
        print_alu(&p, instr);
    return p.length;
}

void qpu_dump(FILE *to, const uint64_t *words, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        struct qpu_instr instr = qpu_decode(words[n]);
        char text[256];

        qpu_print(&instr, text, sizeof text);
        fprintf(to, "%4" PRIu32 ": 0x%016" PRIx64 "  %s\n", n, words[n], text);
    }
}
