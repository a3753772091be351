/* SPDX-License-Identifier: MIT
 *
 * Parses QPU text (docs/qpu-text.md) into instructions. A line is split at ';' into parts. A part is a head word with
 * dotted suffixes, then arguments separated by ','. Contradictions (two different raddr_a, two signals) are errors.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "hw/qpu_text.h"

#define MAX_PARTS 10
#define MAX_ARGS  4
#define UNSET     0xff

struct parser {
    struct qpu_instr i;
    uint8_t side; /* of the add result: 0 A, 1 B, UNSET */
    bool sig_set;
    uint8_t pm;     /* UNSET until a word determines it */
    uint8_t unpack; /* UNSET until a word determines it */
    bool raddr_a_set, raddr_b_set;
    char *error;
    size_t error_B;
};

static bool UTIL_PRINTF(2, 3) fail(struct parser *p, const char *fmt, ...)
{
    va_list va;

    va_start(va, fmt);
    if (p->error_B)
        vsnprintf(p->error, p->error_B, fmt, va);
    va_end(va);
    return false;
}

/* -- splitting text ----------------------------------------------------------------------------------------------- */

static char *trim(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]); n--)
        s[n - 1] = 0;
    return s;
}

/* Splits at `separator`. Returns the number of pieces, empty ones included, or max + 1 when there are more than max. */
static unsigned split(char *s, char separator, char **pieces, unsigned max)
{
    unsigned n = 0;

    for (;;) {
        char *end = strchr(s, separator);
        if (n == max)
            return max + 1;
        if (end)
            *end = 0;
        pieces[n++] = trim(s);
        if (!end)
            return n;
        s = end + 1;
    }
}

static int lookup(const char *const *table, unsigned count, const char *word)
{
    for (unsigned n = 0; n < count; n++) {
        if (table[n] && !strcmp(table[n], word))
            return (int)n;
    }
    return -1;
}

/* Decimal digits only. */
static bool small_number(const char *s, unsigned max, unsigned *out)
{
    unsigned value = 0;

    if (!*s)
        return false;
    for (; *s; s++) {
        if (!isdigit((unsigned char)*s))
            return false;
        value = value * 10 + (unsigned)(*s - '0');
        if (value > max)
            return false;
    }
    *out = value;
    return true;
}

static bool number_32(const char *s, uint32_t *out)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(s, &end, 0);
    if (!*s || *end || errno || value < INT32_MIN || value > (long long)UINT32_MAX)
        return false;
    *out = (uint32_t)value;
    return true;
}

/* -- fields that several words may set ---------------------------------------------------------------------------- */

static bool set_side(struct parser *p, unsigned add_side)
{
    if (p->side != UNSET && p->side != add_side)
        return fail(p, "add and mul result cannot go to the same file");
    p->side = (uint8_t)add_side;
    return true;
}

static bool set_pm(struct parser *p, unsigned pm)
{
    if (p->pm != UNSET && p->pm != pm)
        return fail(p, "file A packing and mul or r4 packing exclude each other");
    p->pm = (uint8_t)pm;
    return true;
}

static bool set_unpack(struct parser *p, unsigned unpack, unsigned pm)
{
    if (p->unpack != UNSET && p->unpack != unpack)
        return fail(p, "two different unpack modes");
    p->unpack = (uint8_t)unpack;
    return unpack ? set_pm(p, pm) : true;
}

static bool set_sig(struct parser *p, unsigned sig)
{
    if (p->sig_set && p->i.sig != sig)
        return fail(p, "two signals (a small immediate is one)");
    p->sig_set = true;
    p->i.sig = (uint8_t)sig;
    return true;
}

static bool set_raddr_a(struct parser *p, unsigned raddr)
{
    if (p->raddr_a_set && p->i.raddr_a != raddr)
        return fail(p, "file A has one read port");
    p->raddr_a_set = true;
    p->i.raddr_a = (uint8_t)raddr;
    return true;
}

static bool set_raddr_b(struct parser *p, unsigned raddr, bool small_imm)
{
    if (p->raddr_b_set && (p->i.raddr_b != raddr || (p->i.sig == QPU_SIG_SMALL_IMM) != small_imm))
        return fail(p, "file B has one read port, which a small immediate occupies");
    p->raddr_b_set = true;
    p->i.raddr_b = (uint8_t)raddr;
    return small_imm ? set_sig(p, QPU_SIG_SMALL_IMM) : true;
}

/* -- names -------------------------------------------------------------------------------------------------------- */

/* "ra12", "rb63" to side and number. */
static bool file_name(const char *word, unsigned *side_out, unsigned *number_out)
{
    if (word[0] != 'r' || (word[1] != 'a' && word[1] != 'b') || !small_number(word + 2, 63, number_out))
        return false;
    *side_out = word[1] == 'b';
    return true;
}

static bool small_imm_name(const char *word, unsigned *code_out)
{
    unsigned n;
    uint32_t value;

    if (!strncmp(word, "imm", 3) && small_number(word + 3, 63, code_out))
        return true;
    for (n = 0; n < 8; n++) {
        char whole[8], fraction[8];
        snprintf(whole, sizeof whole, "%u.0", 1u << n);
        snprintf(fraction, sizeof fraction, "1/%u", 256u >> n);
        if (!strcmp(word, whole) || !strcmp(word, fraction)) {
            *code_out = (word[1] == '/' ? 40 : 32) + n;
            return true;
        }
    }
    if (number_32(word, &value) && qpu_small_imm_code(value) >= 0) {
        *code_out = (unsigned)qpu_small_imm_code(value);
        return true;
    }
    return false;
}

/* A source operand: a register with its unpack suffix, or a small immediate. Sets the read address, returns the mux. */
static bool parse_operand(struct parser *p, char *word, uint8_t *mux_out)
{
    unsigned side, number;
    int unpack = 0;
    char *dot;

    if (small_imm_name(word, &number)) {
        *mux_out = QPU_MUX_B;
        return set_raddr_b(p, number, true);
    }
    dot = strchr(word, '.');
    if (dot) {
        *dot = 0;
        unpack = lookup(qpu_text_unpack, 8, dot + 1);
        if (unpack < 0)
            return fail(p, "unknown unpack mode \"%s\"", dot + 1);
    }
    if (word[0] == 'r' && word[1] >= '0' && word[1] <= '5' && !word[2]) {
        *mux_out = (uint8_t)(word[1] - '0');
        if (!unpack)
            return true;
        if (*mux_out != QPU_MUX_R4)
            return fail(p, "only file A and r4 can be unpacked, not %s", word);
        return set_unpack(p, (unsigned)unpack, 1);
    }
    if (!file_name(word, &side, &number)) {
        int a = lookup(qpu_text_raddr[0], 64, word), b = lookup(qpu_text_raddr[1], 64, word);
        if (a < 0 && b < 0)
            return fail(p, "\"%s\" is no register to read and no small immediate", word);
        side = a < 0;
        number = (unsigned)(a < 0 ? b : a);
    }
    *mux_out = side ? QPU_MUX_B : QPU_MUX_A;
    if (side)
        return unpack ? fail(p, "file B cannot be unpacked") : set_raddr_b(p, number, false);
    return set_raddr_a(p, number) && (!unpack || set_unpack(p, (unsigned)unpack, 0));
}

/* A destination. Sets the write address, side and pack mode of the add or mul result. */
static bool parse_dst(struct parser *p, char *word, bool mul)
{
    uint8_t *waddr = mul ? &p->i.waddr_mul : &p->i.waddr_add;
    char *dot = strchr(word, '.');
    unsigned side, number;

    if (dot)
        *dot++ = 0;
    if (file_name(word, &side, &number)) {
        if (number > 31)
            return fail(p, "\"%s\" cannot be written by number", word);
        *waddr = (uint8_t)number;
        if (!set_side(p, side ^ mul))
            return false;
    } else {
        int a = lookup(qpu_text_waddr[0], 64, word), b = lookup(qpu_text_waddr[1], 64, word);
        if (a < 0 && b < 0)
            return fail(p, "\"%s\" is no register to write", word);
        *waddr = (uint8_t)(a < 0 ? b : a);
        if (a != b && !set_side(p, (unsigned)(a < 0) ^ mul))
            return false;
    }
    if (!dot)
        return true;
    if (*dot == 'm') {
        int pack = lookup(qpu_text_pack_a, 16, dot + 1);
        if (!mul || pack <= 0)
            return fail(p, mul ? "unknown mul pack mode \"%s\"" : "\"%s\" belongs to the mul result", dot);
        p->i.pack = (uint8_t)pack;
        return set_pm(p, 1);
    } else {
        int pack = lookup(qpu_text_pack_a, 16, dot);
        if (pack <= 0)
            return fail(p, "unknown pack mode \"%s\"", dot);
        p->i.pack = (uint8_t)pack;
        return set_side(p, mul) && set_pm(p, 0);
    }
}

/* -- parts -------------------------------------------------------------------------------------------------------- */

/* A part split into its head word, suffixes and arguments. */
struct part {
    char *head;
    char *suffix[4];
    unsigned suffixes;
    char *arg[MAX_ARGS];
    unsigned args;
};

static bool split_part(struct parser *p, char *text, struct part *out)
{
    char *args = text, *pieces[5];
    unsigned n;

    while (*args && !isspace((unsigned char)*args))
        args++;
    if (*args)
        *args++ = 0;
    args = trim(args);
    out->args = *args ? split(args, ',', out->arg, MAX_ARGS) : 0;
    if (out->args > MAX_ARGS)
        return fail(p, "too many operands");
    n = split(text, '.', pieces, 5);
    if (n > 5)
        return fail(p, "too many suffixes");
    out->head = pieces[0];
    out->suffixes = n - 1;
    for (unsigned s = 1; s < n; s++)
        out->suffix[s - 1] = pieces[s];
    return true;
}

static bool parse_op_suffix(struct parser *p, const char *word, bool mul, bool has_cond)
{
    int cond = lookup(qpu_text_cond, 8, word);
    unsigned n;

    if (cond >= 0 && has_cond) {
        *(mul ? &p->i.cond_mul : &p->i.cond_add) = (uint8_t)cond;
        return true;
    }
    if (!strcmp(word, "sf")) {
        p->i.sf = 1;
        return true;
    }
    if (mul && p->i.sig != QPU_SIG_LOAD_IMM) {
        if (!strcmp(word, "rot_r5"))
            return set_raddr_b(p, QPU_SMALL_IMM_ROTATE_R5, true);
        if (!strncmp(word, "rot", 3) && small_number(word + 3, 15, &n) && n)
            return set_raddr_b(p, QPU_SMALL_IMM_ROTATE(n), true);
    }
    return fail(p, "unknown suffix \"%s\"", word);
}

static int find_op(const char *word, bool mul)
{
    unsigned n;

    if (!strcmp(word, "mov"))
        return mul ? (int)QPU_M_V8MIN : (int)QPU_A_OR;
    for (unsigned op = 0; op < (mul ? 8 : 32); op++) {
        const char *name = mul ? qpu_mul_op_name(op) : qpu_add_op_name(op);
        if (name && !strcmp(name, word))
            return (int)op;
    }
    if (!mul && !strncmp(word, "op", 2) && small_number(word + 2, 31, &n) && !qpu_add_op_name(n))
        return (int)n;
    return -1;
}

static bool parse_op(struct parser *p, struct part *part, bool mul)
{
    int op = find_op(part->head, mul);
    bool mov = !strcmp(part->head, "mov");
    unsigned args;
    uint8_t a = 0, b = 0;

    assert(op >= 0);
    *(mul ? &p->i.op_mul : &p->i.op_add) = (uint8_t)op;
    *(mul ? &p->i.cond_mul : &p->i.cond_add) = op ? QPU_COND_ALWAYS : QPU_COND_NEVER;
    for (unsigned n = 0; n < part->suffixes; n++) {
        if (!parse_op_suffix(p, part->suffix[n], mul, true))
            return false;
    }
    if (!op && !part->args)
        return true;
    args = mov                             ? 1
           : mul                           ? qpu_mul_op_args((unsigned)op)
           : qpu_add_op_name((unsigned)op) ? qpu_add_op_args((unsigned)op)
                                           : 2;
    if (part->args != 3 && !(args == 1 && part->args == 2))
        return fail(p, "%s needs a destination and %u operand%s", part->head, args == 1 ? 1 : 2, args == 1 ? "" : "s");
    if (!parse_dst(p, part->arg[0], mul) || !parse_operand(p, part->arg[1], &a))
        return false;
    b = a;
    if (part->args == 3 && !parse_operand(p, part->arg[2], &b))
        return false;
    *(mul ? &p->i.mul_a : &p->i.add_a) = a;
    *(mul ? &p->i.mul_b : &p->i.add_b) = b;
    return true;
}

/* "read", "pm", "ws" and signals: fields that no operation or operand determines. */
static bool parse_word(struct parser *p, struct part *part)
{
    int sig = lookup(qpu_text_sig, 16, part->head);
    uint8_t mux;

    if (!strcmp(part->head, "read") && part->args == 1 && !part->suffixes) {
        if (!parse_operand(p, part->arg[0], &mux))
            return false;
        return mux >= QPU_MUX_A ? true : fail(p, "\"read\" is for register files, peripherals and immediates");
    }
    if (!strcmp(part->head, "ws") && !part->args && !part->suffixes)
        return set_side(p, 1);
    if (!strcmp(part->head, "pm") && !part->args && part->suffixes <= 1) {
        int unpack = part->suffixes ? lookup(qpu_text_unpack, 8, part->suffix[0]) : 0;
        if (unpack < 0)
            return fail(p, "unknown unpack mode \"%s\"", part->suffix[0]);
        return set_pm(p, 1) && (!unpack || set_unpack(p, (unsigned)unpack, 1));
    }
    if (sig >= 0 && !part->args && !part->suffixes)
        return set_sig(p, (unsigned)sig);
    return fail(p, "unknown word \"%s\"", part->head);
}

static bool parse_alu(struct parser *p, char **texts, unsigned count)
{
    unsigned ops = 0;

    p->i = qpu_nop();
    for (unsigned n = 0; n < count; n++) {
        struct part part;
        bool add, mul;

        if (!split_part(p, texts[n], &part))
            return false;
        add = ops == 0 && find_op(part.head, false) >= 0;
        mul = !add && ops <= 1 && find_op(part.head, true) >= 0;
        if (add || mul) {
            if (!parse_op(p, &part, mul))
                return false;
            ops = mul ? 2 : 1;
        } else if (!parse_word(p, &part)) {
            return false;
        }
    }
    p->i.unpack = p->unpack == UNSET ? 0 : p->unpack;
    return true;
}

static bool parse_load_imm(struct parser *p, char **texts, unsigned count)
{
    unsigned slots = 0;

    p->i = (struct qpu_instr){.sig = QPU_SIG_LOAD_IMM, .waddr_add = QPU_W_NOP, .waddr_mul = QPU_W_NOP};
    p->sig_set = true;
    for (unsigned n = 0; n < count; n++) {
        struct part part;
        int mode;

        if (!split_part(p, texts[n], &part))
            return false;
        mode = lookup(qpu_text_load_imm, 8, part.head);
        if (mode < 0 || slots == 2) {
            if (!strcmp(part.head, "read"))
                return fail(p, "a load immediate reads no register");
            if (!parse_word(p, &part))
                return false;
            continue;
        }
        if (slots && p->i.unpack != mode)
            return fail(p, "both halves load the same immediate");
        p->i.unpack = (uint8_t)mode;
        *(slots ? &p->i.cond_mul : &p->i.cond_add) = QPU_COND_ALWAYS;
        for (unsigned s = 0; s < part.suffixes; s++) {
            if (!parse_op_suffix(p, part.suffix[s], slots, true))
                return false;
        }
        if (part.args != 2u - slots)
            return fail(p, slots ? "the second half takes a destination only" : "%s needs a destination and a number",
                        part.head);
        if (!parse_dst(p, part.arg[0], slots))
            return false;
        if (!slots && !number_32(part.arg[1], &p->i.imm))
            return fail(p, "\"%s\" is no 32-bit number", part.arg[1]);
        slots++;
    }
    return p->unpack == UNSET || fail(p, "a load immediate cannot unpack");
}

static bool parse_branch_target(struct parser *p, char *text)
{
    char *terms[3];
    unsigned count = split(text, '+', terms, 3), side, number;

    for (unsigned n = 0; n + 1 < count && count <= 3; n++) {
        if (!strcmp(terms[n], "pc")) {
            p->i.branch_rel = 1;
        } else if (file_name(terms[n], &side, &number) && side == 0 && number < 32) {
            p->i.branch_reg = 1;
            p->i.raddr_a = (uint8_t)number;
        } else {
            return fail(p, "\"%s\" cannot be part of a branch target", terms[n]);
        }
    }
    if (count > 3 || !number_32(terms[count - 1], &p->i.imm))
        return fail(p, "a branch target ends in a number of bytes");
    return true;
}

static bool parse_branch(struct parser *p, char **texts, unsigned count)
{
    p->i = (struct qpu_instr){
        .sig = QPU_SIG_BRANCH, .waddr_add = QPU_W_NOP, .waddr_mul = QPU_W_NOP, .pack = QPU_BRANCH_ALWAYS};
    for (unsigned n = 0; n < count; n++) {
        struct part part;
        unsigned side, number;

        if (!split_part(p, texts[n], &part))
            return false;
        if (n == 0) {
            int cond = part.suffixes ? lookup(qpu_text_branch_cond, 16, part.suffix[0]) : QPU_BRANCH_ALWAYS;
            if (cond < 0 || part.suffixes > 1)
                return fail(p, "unknown branch condition");
            p->i.pack = (uint8_t)cond;
            if (part.args != 1)
                return fail(p, "br needs a target");
            if (!parse_branch_target(p, part.arg[0]))
                return false;
        } else if (!strcmp(part.head, "link") && part.args == 2) {
            if (strchr(part.arg[0], '.') || strchr(part.arg[1], '.'))
                return fail(p, "a link address cannot be packed");
            if (!parse_dst(p, part.arg[0], false) || !parse_dst(p, part.arg[1], true))
                return false;
        } else if (!strcmp(part.head, "read") && part.args == 1 && file_name(part.arg[0], &side, &number) &&
                   side == 0 && number < 32 && !p->i.branch_reg) {
            p->i.raddr_a = (uint8_t)number;
        } else if (!strcmp(part.head, "ws") && !part.args) {
            if (!set_side(p, 1))
                return false;
        } else {
            return fail(p, "\"%s\" does not belong to a branch", part.head);
        }
    }
    return true;
}

bool qpu_parse(const char *line, struct qpu_instr *out, char *error, size_t error_B)
{
    struct parser p = {.side = UNSET, .pm = UNSET, .unpack = UNSET, .error = error, .error_B = error_B};
    char text[512], head[32], *parts[MAX_PARTS];
    size_t length = strlen(line);
    unsigned count;
    bool ok;

    if (error_B)
        error[0] = 0;
    if (length >= sizeof text)
        return fail(&p, "line too long");
    memcpy(text, line, length + 1);
    count = split(text, ';', parts, MAX_PARTS);
    if (count > MAX_PARTS)
        return fail(&p, "too many parts");
    for (unsigned n = 0; n < count; n++) {
        if (!*parts[n])
            return fail(&p, "empty part");
    }
    snprintf(head, sizeof head, "%.*s", (int)strcspn(parts[0], ". \t"), parts[0]);
    if (!strcmp(head, "br"))
        ok = parse_branch(&p, parts, count);
    else if (lookup(qpu_text_load_imm, 8, head) >= 0)
        ok = parse_load_imm(&p, parts, count);
    else
        ok = parse_alu(&p, parts, count);
    if (!ok)
        return false;
    p.i.ws = p.side == 1;
    p.i.pm = p.pm == 1;
    *out = p.i;
    return true;
}
