/* SPDX-License-Identifier: MIT
 *
 * QPU instructions to text (docs/qpu-text.md). What is printed is complete: qpu_parse gives the same instruction back.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "hw/qpu_text.h"

struct printer {
    char *out;
    size_t size_B;
    int length; /* as snprintf counts */
};

static void UTIL_PRINTF(2, 3) say(struct printer *p, const char *fmt, ...)
{
    size_t used_B = MIN2((size_t)p->length, p->size_B);
    va_list va;

    va_start(va, fmt);
    p->length += vsnprintf(p->size_B ? p->out + used_B : NULL, p->size_B - used_B, fmt, va);
    va_end(va);
}

/* -- which parts of an instruction are said by their absence ------------------------------------------------------ */

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

/* A mux that reads a plain nop's operand fields does not count: they are not printed. */
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

static void say_raddr(struct printer *p, unsigned side, unsigned raddr)
{
    if (qpu_text_raddr[side][raddr])
        say(p, "%s", qpu_text_raddr[side][raddr]);
    else
        say(p, "r%c%u", side ? 'b' : 'a', raddr);
}

static void say_small_imm(struct printer *p, unsigned code)
{
    if (code < 32)
        say(p, "%d", (int)qpu_small_imm_value(code));
    else if (code < 40)
        say(p, "%u.0", 1u << (code - 32));
    else if (code < 48)
        say(p, "1/%u", 1u << (48 - code));
    else
        say(p, "imm%u", code);
}

static void say_raddr_b(struct printer *p, const struct qpu_instr *i)
{
    if (i->sig == QPU_SIG_SMALL_IMM)
        say_small_imm(p, i->raddr_b);
    else
        say_raddr(p, 1, i->raddr_b);
}

static void say_operand(struct printer *p, const struct qpu_instr *i, unsigned mux)
{
    if (mux == QPU_MUX_A)
        say_raddr(p, 0, i->raddr_a);
    else if (mux == QPU_MUX_B)
        say_raddr_b(p, i);
    else
        say(p, "r%u", mux);
    if (i->unpack && mux == (i->pm ? QPU_MUX_R4 : QPU_MUX_A))
        say(p, ".%s", qpu_text_unpack[i->unpack]);
}

static void say_dst(struct printer *p, const struct qpu_instr *i, bool mul)
{
    unsigned side = add_side(i) ^ mul;
    unsigned waddr = mul ? i->waddr_mul : i->waddr_add;

    if (waddr < 32)
        say(p, "r%c%u", side ? 'b' : 'a', waddr);
    else
        say(p, "%s", qpu_text_waddr[side][waddr]);
    if (mul ? mul_is_packed(i) : add_is_packed(i)) {
        say(p, i->pm ? ".m%s" : ".%s", qpu_text_pack_a[i->pack]);
    }
}

static void say_cond(struct printer *p, unsigned cond, unsigned usual)
{
    if (cond != usual)
        say(p, ".%s", qpu_text_cond[cond]);
}

static void say_op(struct printer *p, const struct qpu_instr *i, bool mul)
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
        say(p, "%s", name);
    else
        say(p, "op%u", op);
    say_cond(p, mul ? i->cond_mul : i->cond_add, op ? QPU_COND_ALWAYS : QPU_COND_NEVER);
    if (sf)
        say(p, ".sf");
    if (mul && rotates(i)) {
        if (i->raddr_b == QPU_SMALL_IMM_ROTATE_R5)
            say(p, ".rot_r5");
        else
            say(p, ".rot%u", i->raddr_b - QPU_SMALL_IMM_ROTATE_R5);
    }
    if (mul ? alu_mul_is_plain_nop(i) : alu_add_is_plain_nop(i))
        return;
    say(p, " ");
    say_dst(p, i, mul);
    say(p, ", ");
    say_operand(p, i, a);
    if (args != 1 || a != b) {
        say(p, ", ");
        say_operand(p, i, b);
    }
}

/* Side B for the add result, where no register name says it. */
static void say_ws(struct printer *p, const struct qpu_instr *i)
{
    bool said = qpu_text_waddr_tells_side(i->waddr_add) || qpu_text_waddr_tells_side(i->waddr_mul) ||
                (i->pack && !i->pm && i->sig != QPU_SIG_BRANCH);

    if (i->ws && !said)
        say(p, " ; ws");
}

/* -- the three kinds of instruction ------------------------------------------------------------------------------- */

static void say_alu(struct printer *p, const struct qpu_instr *i)
{
    bool mul_said = !alu_mul_is_plain_nop(i) || rotates(i);
    bool b_said = prints_mux(i, QPU_MUX_B) || rotates(i);
    bool a_said = prints_mux(i, QPU_MUX_A);
    bool unpack_said = !i->unpack || (i->pm ? prints_mux(i, QPU_MUX_R4) : a_said);

    say_op(p, i, false);
    if (mul_said) {
        say(p, " ; ");
        say_op(p, i, true);
    }
    if (i->sig != QPU_SIG_NONE && i->sig != QPU_SIG_SMALL_IMM)
        say(p, " ; %s", qpu_text_sig[i->sig]);
    if ((!a_said && i->raddr_a != QPU_R_NOP) || (!i->pm && !unpack_said)) {
        say(p, " ; read ");
        say_raddr(p, 0, i->raddr_a);
        if (!i->pm && !unpack_said)
            say(p, ".%s", qpu_text_unpack[i->unpack]);
    }
    if (!b_said && (i->raddr_b != QPU_R_NOP || i->sig == QPU_SIG_SMALL_IMM)) {
        say(p, " ; read ");
        say_raddr_b(p, i);
    }
    if (i->pm && i->unpack && !unpack_said)
        say(p, " ; pm.%s", qpu_text_unpack[i->unpack]);
    else if (i->pm && !i->unpack && !i->pack)
        say(p, " ; pm");
    say_ws(p, i);
}

static void say_load_imm(struct printer *p, const struct qpu_instr *i)
{
    say(p, "%s", qpu_text_load_imm[i->unpack]);
    say_cond(p, i->cond_add, QPU_COND_ALWAYS);
    say(p, "%s ", i->sf ? ".sf" : "");
    say_dst(p, i, false);
    say(p, ", 0x%" PRIx32, i->imm);
    if (!slot_is_idle(i, true)) {
        say(p, " ; %s", qpu_text_load_imm[i->unpack]);
        say_cond(p, i->cond_mul, QPU_COND_ALWAYS);
        say(p, " ");
        say_dst(p, i, true);
    }
    if (i->pm && !i->pack)
        say(p, " ; pm");
    say_ws(p, i);
}

static void say_branch(struct printer *p, const struct qpu_instr *i)
{
    struct qpu_instr link = *i;

    link.pack = 0; /* the condition lies there */
    say(p, "br.%s ", qpu_text_branch_cond[i->pack]);
    if (i->branch_rel)
        say(p, "pc + ");
    if (i->branch_reg)
        say(p, "ra%u + ", i->raddr_a);
    say(p, "%" PRId32, (int32_t)i->imm);
    if (i->waddr_add != QPU_W_NOP || i->waddr_mul != QPU_W_NOP) {
        say(p, " ; link ");
        say_dst(p, &link, false);
        say(p, ", ");
        say_dst(p, &link, true);
    }
    if (!i->branch_reg && i->raddr_a)
        say(p, " ; read ra%u", i->raddr_a);
    say_ws(p, i);
}

int qpu_print(const struct qpu_instr *instr, char *out, size_t size_B)
{
    struct printer p = {.out = out, .size_B = size_B};

    if (size_B)
        out[0] = 0;
    if (instr->sig == QPU_SIG_BRANCH)
        say_branch(&p, instr);
    else if (instr->sig == QPU_SIG_LOAD_IMM)
        say_load_imm(&p, instr);
    else
        say_alu(&p, instr);
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
