/* SPDX-License-Identifier: MIT */
#include "programs.h"

uint32_t random_word(struct random *r)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(r->state >> 32) ^ (uint32_t)(r->state >> 11);
}

uint32_t random_below(struct random *r, uint32_t limit)
{
    return random_word(r) % limit;
}

uint32_t random_value(struct random *r)
{
    static const uint32_t special_values[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                              0x7f7fffff, 0xff7fffff, 0x7fc00000, 0xffc12345, 0x7f800001, 1,
                                              0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x7fffffff, 0xffffffff,
                                              0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000, 0x3effffff, 0x3f7fffff,
                                              0x437f0000, 0x38800000, 0x33800000, 0x477fe000, 0x0000ffff, 0x00ff00ff};

    switch (random_below(r, 5)) {
    case 0:
        return special_values[random_below(r, ARRAY_SIZE(special_values))];
    case 1:
        return random_below(r, 256) - 64;
    case 2: /* floats near 1 */
        return (random_word(r) & 0x807fffffu) | (120 + random_below(r, 16)) << 23;
    default:
        return random_word(r);
    }
}

/* -- instructions ------------------------------------------------------------------------------------------------- */

struct writer {
    struct random *r;
    enum qpu_program_kind kind;
    struct random_program *out;
    unsigned requests[2]; /* per unit: texture results that have not been read yet */
    bool loop;            /* inside a loop: r3 is its counter and must not be written */
    bool nested;          /* inside a loop or a skipped block: may run any number of times */
};

static void put(struct writer *w, const struct qpu_instr *i)
{
    assert(w->out->count < PROGRAM_MAX);
    w->out->words[w->out->count++] = qpu_encode(i);
}

static uint8_t write_address(struct writer *w)
{
    struct random *r = w->r;

    switch (random_below(r, 12)) {
    case 0:
        return QPU_W_NOP;
    case 1:
        return QPU_W_ACC5;
    case 2:
        return (uint8_t)(QPU_W_SFU_RECIP + random_below(r, 4));
    case 3:
    case 4:
    case 5:
    case 6:
        return (uint8_t)(QPU_W_ACC0 + random_below(r, w->loop ? 3 : 4));
    default: /* few registers, so that writes and reads meet */
        return (uint8_t)random_below(r, 6);
    }
}

static uint8_t read_address(struct writer *w, unsigned side)
{
    struct random *r = w->r;
    bool fragment = w->kind == QPU_PROGRAM_FRAGMENT;

    switch (random_below(r, 12)) {
    case 0:
        return QPU_R_UNIFORM;
    case 1:
        return QPU_R_ELEMENT_QPU;
    case 2:
        return fragment ? QPU_R_XY_PIXEL_COORD : QPU_R_NOP;
    case 3:
        return fragment ? QPU_R_MS_REV_FLAGS : QPU_R_UNIFORM;
    case 4:
        return fragment ? 15 : (uint8_t)random_below(r, 32);
    default:
        return (uint8_t)random_below(r, 6);
    }
}

static uint8_t condition(struct random *r)
{
    return (uint8_t)(random_below(r, 3) ? QPU_COND_ALWAYS : random_below(r, 8));
}

static uint8_t add_op(struct random *r)
{
    static const uint8_t ops[] = {QPU_A_FADD, QPU_A_FSUB, QPU_A_FMIN, QPU_A_FMAX,   QPU_A_FMINABS, QPU_A_FMAXABS,
                                  QPU_A_FTOI, QPU_A_ITOF, QPU_A_ADD,  QPU_A_SUB,    QPU_A_SHR,     QPU_A_ASR,
                                  QPU_A_ROR,  QPU_A_SHL,  QPU_A_MIN,  QPU_A_MAX,    QPU_A_AND,     QPU_A_OR,
                                  QPU_A_XOR,  QPU_A_NOT,  QPU_A_CLZ,  QPU_A_V8ADDS, QPU_A_V8SUBS,  QPU_A_FADD,
                                  QPU_A_FSUB, QPU_A_NOP,  9};

    return ops[random_below(r, ARRAY_SIZE(ops))];
}

static struct qpu_instr random_alu(struct writer *w)
{
    struct random *r = w->r;
    struct qpu_instr i = qpu_nop();

    i.op_add = add_op(r);
    i.op_mul = (uint8_t)(random_below(r, 3) ? random_below(r, 8) : QPU_M_FMUL);
    i.cond_add = condition(r);
    i.cond_mul = condition(r);
    i.sf = random_below(r, 4) == 0;
    i.ws = random_below(r, 2) != 0;
    i.waddr_add = write_address(w);
    i.waddr_mul = write_address(w);
    i.raddr_a = read_address(w, 0);
    i.raddr_b = read_address(w, 1);
    i.add_a = (uint8_t)random_below(r, 8);
    i.add_b = (uint8_t)random_below(r, 8);
    i.mul_a = (uint8_t)random_below(r, 8);
    i.mul_b = (uint8_t)random_below(r, 8);
    if (random_below(r, 3) == 0) {
        i.pm = random_below(r, 2) != 0;
        i.pack = (uint8_t)random_below(r, 16);
    }
    if (random_below(r, 3) == 0)
        i.unpack = (uint8_t)random_below(r, 8);
    if (random_below(r, 4) == 0) {
        i.sig = QPU_SIG_SMALL_IMM;
        i.raddr_b = (uint8_t)random_below(r, 64);
    }
    return i;
}

static struct qpu_instr random_load_imm(struct writer *w)
{
    static const uint8_t modes[] = {QPU_LOAD_IMM_32, QPU_LOAD_IMM_PER_LANE_SIGNED, QPU_LOAD_IMM_PER_LANE_UNSIGNED};
    struct random *r = w->r;
    struct qpu_instr i = qpu_nop();

    i.sig = QPU_SIG_LOAD_IMM;
    i.unpack = modes[random_below(r, 3)];
    i.imm = random_value(r);
    i.cond_add = condition(r);
    i.cond_mul = condition(r);
    i.sf = random_below(r, 4) == 0;
    i.ws = random_below(r, 2) != 0;
    i.waddr_add = write_address(w);
    i.waddr_mul = write_address(w);
    if (random_below(r, 4) == 0) {
        i.pm = random_below(r, 2) != 0;
        i.pack = (uint8_t)random_below(r, 16);
    }
    return i;
}

static struct qpu_instr load(uint32_t word, uint8_t waddr, bool side_b)
{
    struct qpu_instr i = qpu_nop();

    i.sig = QPU_SIG_LOAD_IMM;
    i.imm = word;
    i.cond_add = QPU_COND_ALWAYS;
    i.waddr_add = waddr;
    i.ws = side_b;
    return i;
}

/* A move from an accumulator, with a random condition. */
static struct qpu_instr store(struct writer *w, uint8_t waddr, bool side_b)
{
    struct qpu_instr i = qpu_nop();

    i.op_add = QPU_A_OR;
    i.cond_add = condition(w->r);
    i.add_a = i.add_b = (uint8_t)random_below(w->r, 4);
    i.waddr_add = waddr;
    i.ws = side_b;
    return i;
}

/* -- peripherals -------------------------------------------------------------------------------------------------- */

static void texture_result(struct writer *w, unsigned unit)
{
    struct qpu_instr i = random_alu(w);

    i.sig = (uint8_t)(QPU_SIG_LOAD_TMU0 + unit);
    w->requests[unit]--;
    put(w, &i);
}

static void parameter(struct writer *w, uint8_t waddr)
{
    struct qpu_instr i = store(w, waddr, random_below(w->r, 2) != 0);

    if (i.cond_add == QPU_COND_NEVER)
        i.cond_add = QPU_COND_ALWAYS;
    put(w, &i);
}

/* A lookup with two to four parameters, S last, in a random texture of the table. */
static void texture_sample(struct writer *w, unsigned unit)
{
    uint8_t s = (uint8_t)(unit ? QPU_W_TMU1_S : QPU_W_TMU0_S);
    struct qpu_instr i =
        load(PROGRAM_TEXTURES + 16 * random_below(w->r, TEXTURE_COUNT), QPU_W_UNIFORMS_ADDRESS, false);

    put(w, &i);
    for (uint8_t n = 1; n < 4; n++) {
        if (n == 1 || random_below(w->r, 3) == 0)
            parameter(w, s + n);
    }
    parameter(w, s);
    i = load(PROGRAM_UNIFORMS + 4 * random_below(w->r, 1024), QPU_W_UNIFORMS_ADDRESS, false);
    put(w, &i);
}

static void request_2d(struct writer *w, unsigned unit, uint32_t texture, const uint8_t at[2])
{
    uint8_t s = (uint8_t)(unit ? QPU_W_TMU1_S : QPU_W_TMU0_S);
    struct qpu_instr i = load(PROGRAM_TEXTURES + 16 * texture, QPU_W_UNIFORMS_ADDRESS, false);

    put(w, &i);
    for (unsigned n = 2; n--;) {
        i = qpu_nop();
        i.op_add = QPU_A_OR;
        i.cond_add = QPU_COND_ALWAYS;
        i.add_a = i.add_b = at[n];
        i.waddr_add = (uint8_t)(s + n);
        put(w, &i);
    }
}

/* Sets r0 to r2 to coordinates from 0 to 2, computed from the bytes of r4. */
static void coordinates(struct writer *w)
{
    for (uint8_t n = 0; n < 3; n++) {
        struct qpu_instr i = qpu_nop();
        i.sig = QPU_SIG_SMALL_IMM;
        i.raddr_b = 33; /* 2.0 */
        i.op_mul = QPU_M_FMUL;
        i.cond_mul = QPU_COND_ALWAYS;
        i.mul_a = QPU_MUX_R4;
        i.mul_b = QPU_MUX_B;
        i.pm = true;
        i.unpack = (uint8_t)(QPU_UNPACK_8A + n);
        i.waddr_mul = (uint8_t)(QPU_W_ACC0 + n);
        put(w, &i);
    }
}

static void texture_load(struct writer *w, unsigned unit);

/* Receives a texture result in r4 and copies it to a register of file A. */
static void keep_result(struct writer *w, unsigned unit)
{
    struct qpu_instr i = qpu_nop();

    i.sig = (uint8_t)(QPU_SIG_LOAD_TMU0 + unit);
    put(w, &i);
    i = qpu_nop();
    i.op_add = QPU_A_OR;
    i.cond_add = QPU_COND_ALWAYS;
    i.add_a = i.add_b = QPU_MUX_R4;
    i.waddr_add = (uint8_t)random_below(w->r, 32);
    put(w, &i);
    w->requests[unit]--;
}

/* Four lookups of neighbouring texels, as filters in shader code make them, mostly in the same texture. */
static void texture_neighbours(struct writer *w, unsigned unit)
{
    uint32_t texture = random_below(w->r, TEXTURE_COUNT);
    struct qpu_instr i;

    if (random_below(w->r, 4)) {
        texture_load(w, unit);
        w->requests[unit]++;
        keep_result(w, unit);
        coordinates(w);
    } else if (random_below(w->r, 2)) { /* constants, which a compiler may fold */
        for (uint8_t n = 0; n < 3; n++) {
            i = load(random_value(w->r), (uint8_t)(QPU_W_ACC0 + n), false);
            put(w, &i);
        }
    }
    for (uint8_t n = 0; n < 4; n++)
        request_2d(w, unit, random_below(w->r, 6) ? texture : random_below(w->r, TEXTURE_COUNT),
                   (const uint8_t[2]){n & 1, n >> 1 ? QPU_MUX_R2 : QPU_MUX_R1});
    w->requests[unit] += 4;
    i = load(PROGRAM_UNIFORMS + 4 * random_below(w->r, 1024), QPU_W_UNIFORMS_ADDRESS, false);
    put(w, &i);
    while (w->requests[unit])
        keep_result(w, unit);
}

/* A direct memory lookup inside PROGRAM_DATA: all lanes the same word, or neighbouring words. */
static void texture_load(struct writer *w, unsigned unit)
{
    uint8_t s = (uint8_t)(unit ? QPU_W_TMU1_S : QPU_W_TMU0_S);
    uint32_t addr = PROGRAM_DATA + random_below(w->r, 0xffc0);
    bool one = random_below(w->r, 2);
    struct qpu_instr i = load(addr, one ? s : QPU_W_ACC0, false);

    put(w, &i);
    if (one)
        return;
    i = qpu_nop();
    i.op_add = QPU_A_ADD;
    i.cond_add = QPU_COND_ALWAYS;
    i.raddr_a = QPU_R_ELEMENT_QPU;
    i.add_a = i.add_b = QPU_MUX_A;
    i.waddr_add = QPU_W_ACC1;
    put(w, &i);
    i.add_a = QPU_MUX_R0;
    i.add_b = QPU_MUX_R1;
    i.raddr_a = QPU_R_NOP;
    i.waddr_add = s;
    put(w, &i);
}

static void texture(struct writer *w)
{
    unsigned unit = random_below(w->r, 2), kind = random_below(w->r, 4);
    struct qpu_instr i;

    if (kind == 3 && !w->requests[unit]) {
        texture_neighbours(w, unit);
        return;
    }

    if (kind && !w->requests[unit]) {
        if (kind == 1)
            texture_sample(w, unit);
        else
            texture_load(w, unit);
        w->requests[unit]++;
        if (w->nested)
            texture_result(w, unit);
        return;
    }
    if (w->nested) {
        if (w->requests[0])
            return;
        i = store(w, QPU_W_TMU0_S, false);
        i.cond_add = QPU_COND_ALWAYS;
        put(w, &i);
        w->requests[0]++;
        texture_result(w, 0);
        return;
    }
    if (w->requests[unit] && random_below(w->r, 2)) {
        texture_result(w, unit);
        return;
    } else if (w->requests[unit] < 4) {
        i = store(w, (uint8_t)(unit ? QPU_W_TMU1_S : QPU_W_TMU0_S), random_below(w->r, 2) != 0);
        if (i.cond_add != QPU_COND_NEVER)
            w->requests[unit]++;
    } else {
        return;
    }
    put(w, &i);
}

static void vpm(struct writer *w)
{
    struct qpu_instr i = qpu_nop();
    uint32_t setup = random_below(w->r, 3) ? 0x1a00 : random_below(w->r, 0x3000);

    if ((setup >> 8 & 3) == 3)
        setup ^= 0x100;
    switch (random_below(w->r, 4)) {
    case 0:
        i = load(setup | random_below(w->r, 16) << 20, QPU_W_VPMVCD_SETUP, false);
        break;
    case 1:
        i = load(setup, QPU_W_VPMVCD_SETUP, true);
        break;
    case 2:
        i = random_alu(w);
        i.raddr_a = QPU_R_VPM;
        break;
    default:
        i = store(w, QPU_W_VPM, random_below(w->r, 2) != 0);
        break;
    }
    put(w, &i);
}

static void fragment(struct writer *w)
{
    static const uint8_t stores[] = {QPU_W_TLB_Z, QPU_W_TLB_COLOR_ALL, QPU_W_TLB_COLOR_MS, QPU_W_TLB_STENCIL_SETUP,
                                     QPU_W_MS_REV_FLAGS};
    struct qpu_instr i = random_alu(w);

    switch (random_below(w->r, 4)) {
    case 0:
        if (w->nested) /* the number of varyings a program reads is fixed */
            return;
        i.raddr_a = QPU_R_VARYING;
        w->out->varyings++;
        break;
    case 1:
        i.sig = QPU_SIG_COLOR_LOAD;
        break;
    default:
        i = store(w, stores[random_below(w->r, ARRAY_SIZE(stores))], random_below(w->r, 2) != 0);
        break;
    }
    put(w, &i);
}

/* DMA of random shape between the VPM and memory in PROGRAM_DATA. */
static void dma(struct writer *w)
{
    bool to_memory = random_below(w->r, 2) != 0;
    uint32_t setup =
        to_memory ? 0x80000000u | (random_word(w->r) & 0x07ffffffu) : 0x80000000u | (random_word(w->r) & 0x0ffff7ffu);
    struct qpu_instr i;

    if (to_memory && (setup & 7) == 1)
        setup ^= 1;
    i = load(setup, QPU_W_VPMVCD_SETUP, to_memory);
    put(w, &i);
    i = load(0x10000 + random_below(w->r, 0x4000), QPU_W_VPM_ADDR, to_memory);
    put(w, &i);
    i = qpu_nop();
    *(to_memory ? &i.raddr_b : &i.raddr_a) = QPU_R_VPM_WAIT;
    put(w, &i);
}

static void put_random_alu(struct writer *w)
{
    struct qpu_instr i = random_alu(w);

    put(w, &i);
}

/* Memory DMA for user programs, sometimes a thread switch for fragment programs, else a random instruction. */
static void kind_specific(struct writer *w)
{
    struct qpu_instr i;

    if (w->kind == QPU_PROGRAM_USER) {
        dma(w);
        return;
    }
    if (w->kind == QPU_PROGRAM_FRAGMENT && !w->nested && random_below(w->r, 4) == 0) {
        i = random_alu(w);
        i.sig = QPU_SIG_THREAD_SWITCH;
        put(w, &i);
        put_random_alu(w); /* the switch takes effect after this instruction and the next */
    }
    put_random_alu(w);
}

static void some_code(struct writer *w, unsigned count)
{
    while (count--) {
        struct qpu_instr i;
        switch (random_below(w->r, 10)) {
        case 0:
            i = random_load_imm(w);
            put(w, &i);
            break;
        case 1:
            texture(w);
            break;
        case 2:
            if (w->kind == QPU_PROGRAM_FRAGMENT)
                fragment(w);
            else
                vpm(w);
            break;
        case 3:
            kind_specific(w);
            break;
        default:
            put_random_alu(w);
        }
    }
}

/* -- control flow ------------------------------------------------------------------------------------------------- */

static struct qpu_instr branch(uint32_t from, uint32_t to, enum qpu_branch_cond cond)
{
    struct qpu_instr i = {.sig = QPU_SIG_BRANCH, .branch_rel = 1, .waddr_add = QPU_W_NOP, .waddr_mul = QPU_W_NOP};

    i.pack = (uint8_t)cond;
    i.imm = (to - from - 4) * 8;
    return i;
}

static void put_delay_slots(struct writer *w)
{
    for (unsigned n = 0; n < 3; n++) {
        struct qpu_instr i = random_alu(w);
        put(w, &i);
    }
}

static void skip(struct writer *w)
{
    uint32_t at = w->out->count;
    struct qpu_instr i = branch(at, at, QPU_BRANCH_ALWAYS);
    bool was_nested = w->nested;

    put(w, &i);
    put_delay_slots(w);
    w->nested = true;
    some_code(w, 1 + random_below(w->r, 8));
    w->nested = was_nested;
    i = branch(at, w->out->count, random_below(w->r, 13));
    if (i.pack == 12)
        i.pack = QPU_BRANCH_ALWAYS;
    w->out->words[at] = qpu_encode(&i);
}

/* A loop that runs one to five times. `alu_only`: its body is ALU operations only and its delay slots are nops, so that
 * nothing is in flight at its head. */
static void loop(struct writer *w, bool alu_only)
{
    const struct qpu_instr nothing = qpu_nop();
    struct qpu_instr i = load(1 + random_below(w->r, 5), QPU_W_ACC3, false), count = qpu_nop();
    const bool was_nested = w->nested;
    uint32_t head;

    put(w, &i);
    head = w->out->count;
    w->loop = w->nested = true;
    for (unsigned left = 1 + random_below(w->r, 10); alu_only && left; left--) {
        struct qpu_instr body = random_alu(w);
        put(w, &body);
    }
    if (!alu_only) {
        some_code(w, 1 + random_below(w->r, 10));
        if (random_below(w->r, 3) == 0)
            skip(w);
    }
    count.op_add = QPU_A_SUB; /* r3 - 1 */
    count.cond_add = QPU_COND_ALWAYS;
    count.sf = 1;
    count.waddr_add = QPU_W_ACC3;
    count.sig = QPU_SIG_SMALL_IMM;
    count.raddr_b = 1;
    count.add_a = QPU_MUX_R3;
    count.add_b = QPU_MUX_B;
    put(w, &count);
    i = branch(w->out->count, head, QPU_BRANCH_ANY_ZC);
    put(w, &i);
    if (!alu_only)
        put_delay_slots(w);
    for (unsigned n = 0; alu_only && n < 3; n++)
        put(w, &nothing);
    w->loop = false;
    w->nested = was_nested;
}

#define LONG_COUNTER 31 /* in file B */

/* Ends the loop of random_long(), which began at `head`. */
static void close_long_loop(struct writer *w, uint32_t head)
{
    struct qpu_instr i = load(1, QPU_W_ACC0, false);

    put(w, &i);
    i = qpu_nop();
    i.op_add = QPU_A_SUB;
    i.cond_add = QPU_COND_ALWAYS;
    i.sf = true;
    i.ws = true;
    i.raddr_b = LONG_COUNTER;
    i.add_a = QPU_MUX_B;
    i.add_b = QPU_MUX_R0;
    i.waddr_add = LONG_COUNTER;
    put(w, &i);
    i = branch(w->out->count, head, QPU_BRANCH_ANY_ZC);
    put(w, &i);
    put_delay_slots(w);
}

static void end(struct writer *w)
{
    struct qpu_instr end = qpu_nop(), slot = random_alu(w);

    end.sig = QPU_SIG_PROGRAM_END;
    put(w, &end);
    slot.raddr_a = slot.raddr_b = 0;
    put(w, &slot);
    put(w, &slot);
}

static void parts_up_to(struct writer *w, uint32_t instrs)
{
    while (w->out->count < instrs) {
        some_code(w, 2 + random_below(w->r, 20));
        if (random_below(w->r, 3) == 0)
            skip(w);
        else if (random_below(w->r, 2))
            loop(w, false);
    }
}

void random_long(struct random *r, enum qpu_program_kind kind, uint32_t instrs, struct random_program *out)
{
    struct writer w = {.r = r, .kind = kind, .out = out};
    const struct qpu_instr count = load(2, LONG_COUNTER, true), nothing = qpu_nop();

    out->count = 0;
    out->varyings = 0;
    parts_up_to(&w, instrs / 4);
    for (unsigned unit = 0; unit < 2; unit++) {
        while (w.requests[unit])
            texture_result(&w, unit);
    }
    put(&w, &count);
    put(&w, &nothing);
    const uint32_t head = out->count;
    w.nested = true;
    parts_up_to(&w, instrs - instrs / 4);
    close_long_loop(&w, head);
    w.nested = false;
    parts_up_to(&w, instrs);
    end(&w);
}

void random_lookups(struct random *r, enum qpu_program_kind kind, struct random_program *out)
{
    struct writer w = {.r = r, .kind = kind, .out = out};

    out->count = 0;
    out->varyings = 0;
    for (unsigned n = 0; n < 4; n++)
        texture_neighbours(&w, random_below(r, 2));
    end(&w);
}

void random_loops(struct random *r, enum qpu_program_kind kind, struct random_program *out)
{
    struct writer w = {.r = r, .kind = kind, .out = out};

    out->count = 0;
    out->varyings = 0;
    for (unsigned n = 0; n < 4; n++)
        loop(&w, true);
    end(&w);
}

void random_program(struct random *r, enum qpu_program_kind kind, struct random_program *out)
{
    struct writer w = {.r = r, .kind = kind, .out = out};
    unsigned parts = 1 + random_below(r, 4);

    out->count = 0;
    out->varyings = 0;
    while (parts--) {
        some_code(&w, 2 + random_below(r, 10));
        switch (random_below(r, 3)) {
        case 0:
            skip(&w);
            break;
        case 1:
            loop(&w, false);
            break;
        }
    }
    end(&w);
}
