/* SPDX-License-Identifier: MIT
 *
 * A program's access to the vertex pipe memory: vectors of 16 elements, read and written through setup words [guide
 * p.53-58]. There are 64 rows and 16 columns; "horizontal" runs along a row, "vertical" down a column. The CPU engine
 * adds 64 rows for DMA data, which only horizontal words can address, so that DMA does not depend on what the lower
 * rows hold. It also adds rows after those of a vertex program's output, and QPU_OWN_ROWS rows that each QPU has for
 * itself.
 * Smaller elements are zero-extended when read: UNVERIFIED, decided here.
 */
#include <string.h>
#include "model/gpu/gpu_qpu_state.h"

#define ENGINE_ROWS  64u  /* address bit: one of the CPU engine's additional rows */
#define MORE_OUTPUTS 128u /* address bit: a row of a vertex program's output beyond GPU_VPM_ROWS */

struct element {
    unsigned row, column, shift; /* shift: bit of the word where the element starts */
};

/* The location of element `e` of the vector at `addr`. Size code: 0: 8 bits, 1: 16 bits, 2: 32 bits. */
static struct element locate(uint32_t setup, uint32_t addr, unsigned e)
{
    unsigned size = setup >> 8 & 3, log2_parts = 2 - MIN2(size, 2u); /* elements of a word: 1, 2, 4 */
    bool horizontal = setup >> 11 & 1, laned = log2_parts && (setup >> 10 & 1);
    unsigned part = addr & ((1u << log2_parts) - 1), base = addr >> log2_parts;
    unsigned word = e, lane = part; /* laned: lane `part` of each of 16 words */
    struct element at;

    if (log2_parts && !laned) { /* packed: `part` selects 16 >> log2_parts consecutive words */
        word = (part << (4 - log2_parts)) + (e >> log2_parts);
        lane = e & ((1u << log2_parts) - 1);
    }
    at.shift = lane * (32u >> log2_parts);
    if (horizontal) {
        at.row = base & 63;
        at.column = word;
    } else {
        at.row = (base >> 4 & 3) * 16 + word;
        at.column = base & 15;
    }
    return at;
}

/* User programs read and write one VPM. Vertex programs have separate input and output areas. Fragment programs have no
 * VPM on the chip; on the CPU engine they use its VPM. */
static uint32_t (*rows_in(const struct gpu_qpu_core *core))[QPU_LANES]
{
    return core->run->kind == QPU_PROGRAM_VERTEX ? core->run->vertex->in : core->run->user->vpm;
}

static uint32_t (*rows_out(const struct gpu_qpu_core *core))[QPU_LANES]
{
    return core->run->kind == QPU_PROGRAM_VERTEX ? core->run->vertex->out : core->run->user->vpm;
}

/* The row of a horizontal vector of words. */
static uint32_t *word_row(struct gpu_qpu_core *core, uint32_t (*rows)[QPU_LANES], uint32_t setup, uint32_t addr)
{
    struct gpu_user_io *user = core->run->user;
    _Static_assert(QPU_OWN_ROWS == 256, "all values of an address");
    if (setup & QPU_VPM_OWN_ROWS && user && user->is_engine)
        return core->own_rows[addr].u;
    if (addr & MORE_OUTPUTS && user && user->is_engine && core->run->kind == QPU_PROGRAM_VERTEX)
        return core->run->vertex->out[GPU_VPM_ROWS + (addr - MORE_OUTPUTS) % (GPU_OUTPUT_ROWS - GPU_VPM_ROWS)];
    return addr & ENGINE_ROWS && user && user->is_engine ? user->vpm[addr & 127] : rows[addr & 63];
}

/* Whether the setup is for horizontal vectors of words, the usual case. */
static bool is_row(uint32_t setup)
{
    return (setup >> 8 & 3) == 2 && (setup >> 11 & 1);
}

static uint32_t element_mask(uint32_t setup)
{
    unsigned size = setup >> 8 & 3;

    return size == 0 ? 0xffu : size == 1 ? 0xffffu : ~0u;
}

/* STRIDE, 0 meaning 64, is added to ADDR after each vector. Addresses wrap within the window of 64 rows. */
static void advance(struct gpu_vpm_access *access)
{
    unsigned stride = access->setup >> 12 & 63, size = access->setup >> 8 & 3;

    uint32_t window = size == 0 ? 255 : size == 1 ? 127 : 63;

    access->addr = (access->addr & ~window) | ((access->addr + (stride ? stride : 64)) & window);
}

static void set_up(struct gpu_qpu_core *core, struct gpu_vpm_access *access, uint32_t setup)
{
    if (setup >> 30) {
        core->fault = "VPM setup with a reserved code, or of a DMA that is not for vertex programs";
        return;
    }
    if ((setup >> 8 & 3) == 3) {
        core->fault = "VPM setup with a reserved size";
        return;
    }
    access->setup = setup;
    access->addr = setup & 255;
    access->valid = true;
}

static bool is_for_dma(const struct gpu_qpu_core *core, uint32_t setup)
{
    const struct gpu_user_io *user = core->run->user;

    return user && (setup >> 31 || (setup & QPU_DMA_LANES && user->is_engine));
}

/* [addendum] A new read setup is ignored while more than one vector of the previous one is outstanding. */
void gpu_vpm_setup_read(struct gpu_qpu_core *core, uint32_t setup)
{
    struct gpu_vpm_access *access = &core->vpm_read;

    if (is_for_dma(core, setup)) {
        gpu_vpm_dma_setup(core, false, setup);
        return;
    }
    if (access->valid && access->remaining > 1)
        return;
    set_up(core, access, setup);
    access->remaining = setup >> 20 & 15;
    if (!access->remaining)
        access->remaining = 16;
}

void gpu_vpm_setup_write(struct gpu_qpu_core *core, uint32_t setup)
{
    if (is_for_dma(core, setup))
        gpu_vpm_dma_setup(core, true, setup);
    else
        set_up(core, &core->vpm_write, setup);
}

void gpu_vpm_read(struct gpu_qpu_core *core, union gpu_vec *out)
{
    struct gpu_vpm_access *access = &core->vpm_read;
    uint32_t mask = element_mask(access->setup);

    if (!access->valid || !access->remaining) {
        core->fault = "VPM read without read setup never returns";
        return;
    }
    if (is_row(access->setup)) {
        memcpy(out, word_row(core, rows_in(core), access->setup, access->addr), sizeof *out);
    } else {
        for (unsigned e = 0; e < QPU_LANES; e++) {
            struct element at = locate(access->setup, access->addr, e);
            out->u[e] = rows_in(core)[at.row][at.column] >> at.shift & mask;
        }
    }
    access->remaining--;
    advance(access);
}

/* [addendum] A conditional write writes all lanes, with undefined data in those where the condition is false. */
void gpu_vpm_write(struct gpu_qpu_core *core, const union gpu_vec *value, const union gpu_vec *mask)
{
    struct gpu_vpm_access *access = &core->vpm_write;
    uint32_t bits = element_mask(access->setup);
    union gpu_vec data;

    if (!access->valid) {
        core->fault = "VPM write without write setup";
        return;
    }
    for (unsigned e = 0; e < QPU_LANES; e++)
        data.u[e] = (value->u[e] & mask->u[e]) | (GPU_POISON & ~mask->u[e]);
    if (is_row(access->setup)) {
        memcpy(word_row(core, rows_out(core), access->setup, access->addr), &data, sizeof data);
    } else {
        for (unsigned e = 0; e < QPU_LANES; e++) {
            struct element at = locate(access->setup, access->addr, e);
            uint32_t *word = &rows_out(core)[at.row][at.column];
            *word = (*word & ~(bits << at.shift)) | (data.u[e] & bits) << at.shift;
        }
    }
    advance(access);
}

uint32_t *gpu_vpm_row_to_read(struct gpu_qpu_core *core, uint32_t setup)
{
    const struct gpu_vpm_access *access = &core->vpm_read;

    if (setup >> 30 || !is_row(setup) || (setup >> 20 & 15) != 1 || (access->valid && access->remaining > 1))
        return NULL;
    return word_row(core, rows_in(core), setup, setup & 255);
}

void gpu_vpm_skip_read(struct gpu_qpu_core *core, uint32_t setup)
{
    gpu_vpm_setup_read(core, setup);
    core->vpm_read.remaining--;
    advance(&core->vpm_read);
}

uint32_t *gpu_vpm_row_to_write(struct gpu_qpu_core *core)
{
    const struct gpu_vpm_access *access = &core->vpm_write;

    return access->valid && is_row(access->setup) ? word_row(core, rows_out(core), access->setup, access->addr) : NULL;
}
