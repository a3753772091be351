/* SPDX-License-Identifier: MIT
 *
 * VPM DMA: transfers of blocks of rows between memory and the VPM [guide p.56-60]. A transfer completes when its
 * address is written, which is one of the orders that the chip may take.
 *
 * A row runs along a row of the VPM ("horizontal") or down a column. Narrow elements are packed: an 8-bit row that
 * starts at byte b of a word continues with bytes b + 1, ... of it and of the following words. The VPM is 16 words wide
 * and linear: what runs past column 15 continues in the next row (vertical blocks: 16 rows down). Each QPU has its own
 * setup words; programs protect them with the mutex. All this is decided here where no source says it. Pitches are
 * those that public programs rely on; the VPM pitch of a load applies to both directions [guide table 36].
 */
#include <string.h>
#include "model/gpu/gpu_lookup.h"
#include "model/gpu/gpu_mem.h"
#include "model/gpu/gpu_qpu_state.h"
#include "util/thread.h"

#define ROW_MASK (GPU_USER_VPM_ROWS - 1)

/* One transfer. Pitches are from the start of one row to the start of the next. */
struct block {
    uint32_t (*vpm)[QPU_LANES];
    unsigned rows, length;    /* elements of a row */
    unsigned log2_element_B;  /* 0: bytes, 1: halves, 2: words */
    unsigned part;            /* the half or byte of the first word where the row starts */
    unsigned y, x, y_pitch, x_pitch; /* pitches: added for each row */
    uint32_t memory_pitch_B;
    bool vertical, laned;
};

/* Setup words of both directions code the width in the same way: 0, 2 + half, 4 + byte. */
static void set_width(struct gpu_qpu_core *core, struct block *block, unsigned mode)
{
    if (mode == 1)
        core->fault = "VPM DMA with a reserved element size";
    block->log2_element_B = mode >= 4 ? 0 : mode >= 2 ? 1 : 2;
    block->part = mode >= 4 ? mode & 3 : mode & 1;
}

/* The word that holds element `e` of row `row`. `shift`: the bit where the element starts. */
static uint32_t *locate(const struct block *block, unsigned row, unsigned e, unsigned *shift)
{
    unsigned log2_parts = 2 - block->log2_element_B;
    unsigned position = block->laned ? (e << log2_parts) + block->part : e + block->part;
    unsigned word = position >> log2_parts, y, x;

    *shift = (position & ((1u << log2_parts) - 1)) * (8u << block->log2_element_B);
    x = block->x + row * block->x_pitch;
    y = block->y + row * block->y_pitch;
    if (block->vertical) {
        y += (x >> 4) * 16 + word;
    } else {
        x += word;
        y += x >> 4;
    }
    return &block->vpm[y & ROW_MASK][x & 15];
}

/* Fast path for one row of words within one row of the VPM and in mapped memory, as nearly all programs of the engine
 * use. False: take the slow path. */
static bool transfer_row(struct gpu_qpu_core *core, const struct block *block, uint32_t addr, bool store)
{
    struct gpu_user_io *io = core->run->user;
    uint32_t size_B = block->length * 4;

    if (block->rows != 1 || block->log2_element_B != 2 || block->vertical || block->x + block->length > QPU_LANES)
        return false;
    uint8_t *at = gpu_qpu_memory(core, GPU_WINDOW_DMA, addr, size_B);
    uint32_t *row = &block->vpm[block->y & ROW_MASK][block->x];
    if (!at || (store && io->filters_stores))
        return false;
    if (store)
        memcpy(at, row, size_B);
    else
        memcpy(row, at, size_B);
    return true;
}

static void count_transfer(struct gpu_stats *stats, const struct block *block, bool store)
{
    gpu_stats_add(stats, store ? MODEL_COST_DMA_STORE_B : MODEL_COST_DMA_LOAD_B,
                  (uint64_t)block->rows * block->length << block->log2_element_B);
}

static bool is_store_kept(const struct gpu_user_io *io, uint32_t addr)
{
    bool is_kept = !io->filters_stores;

    for (unsigned i = 0; i < io->kept_count && !is_kept; i++)
        is_kept = addr - io->kept[i].addr < io->kept[i].size_B;
    return is_kept;
}

/* The clock of the CPU engine: a row of words in its null page. Words of even index have the low half of the time, words
 * of odd index the high half. A transfer of the row reads the time once. */
static bool load_clock(struct gpu_qpu_core *core, const struct block *block, uint32_t addr)
{
    struct gpu_user_io *io = core->run->user;
    if (addr != GPU_CLOCK_ADDR || !io->is_engine || block->rows != 1 || block->log2_element_B != 2 || block->vertical)
        return false;
    const uint64_t now_ns = util_now_ns();
    for (unsigned e = 0; e < block->length; e++) {
        unsigned shift;
        *locate(block, 0, e, &shift) = (uint32_t)(now_ns >> (e & 1 ? 32 : 0));
    }
    return true;
}

/* The row through which programs of the CPU engine ask for lookups: each word is the address of a lane's arguments. */
static bool store_lookups(struct gpu_qpu_core *core, const struct block *block, uint32_t addr)
{
    struct gpu_user_io *io = core->run->user;
    if (addr != HW_LOOKUP_ADDR || !io->is_engine || block->rows != 1 || block->log2_element_B != 2 || block->vertical ||
        block->x || block->length != QPU_LANES)
        return false;
    uint32_t args[QPU_LANES];
    memcpy(args, block->vpm[block->y & ROW_MASK], sizeof args);
    gpu_lookup_lanes(core, args);
    return true;
}

static void transfer(struct gpu_qpu_core *core, const struct block *block, uint32_t addr, bool store)
{
    if (UTIL_UNLIKELY(core->stats))
        count_transfer(core->stats, block, store);
    if (transfer_row(core, block, addr, store) ||
        (store ? store_lookups(core, block, addr) : load_clock(core, block, addr)))
        return;
    struct gpu_user_io *io = core->run->user;
    uint32_t element_B = 1u << block->log2_element_B;
    uint32_t mask = block->log2_element_B == 2 ? ~0u : BIT(8 * element_B) - 1;

    for (unsigned row = 0; row < block->rows; row++) {
        uint32_t row_addr = addr + row * block->memory_pitch_B;
        uint8_t *whole = gpu_mem_at(core->mem, row_addr, block->length * element_B);
        for (unsigned e = 0; e < block->length; e++) {
            uint32_t at_addr = row_addr + e * element_B, value = 0;
            uint8_t *at = whole ? whole + e * element_B : gpu_mem_at(core->mem, at_addr, element_B);
            unsigned shift;
            uint32_t *word = locate(block, row, e, &shift);
            if (!at && at_addr >= GPU_NULL_PAGE_END && !io->stray_accesses++)
                io->stray_addr = at_addr;
            if (store) {
                value = *word >> shift & mask;
                if (at && is_store_kept(io, at_addr))
                    memcpy(at, &value, element_B);
            } else {
                if (at)
                    memcpy(&value, at, element_B);
                *word = (*word & ~(mask << shift)) | value << shift;
            }
        }
    }
}

void gpu_vpm_dma_setup(struct gpu_qpu_core *core, bool store, uint32_t setup)
{
    struct gpu_vpm_dma *dma = &core->dma;

    if (store && setup >> 30 == 3)
        dma->store_stride = setup;
    else if (store)
        dma->store_setup = setup;
    else if (setup >> 28 == 9)
        dma->load_pitch_B = setup & 0x1fff;
    else
        dma->load_setup = setup;
}

/* Stores: the stride is the gap in memory from the end of one row to the start of the next. In block mode the rows are
 * contiguous in memory and the stride is ignored. */
static void store_block(struct gpu_qpu_core *core, uint32_t addr)
{
    uint32_t setup = core->dma.store_setup, stride = core->dma.store_stride;
    unsigned rows = setup >> 23 & 127, length = setup >> 16 & 127;
    struct block block = {
        .vpm = core->run->user->vpm,
        .rows = rows ? rows : 128,
        .length = length ? length : 128,
        .laned = setup >> 15 & 1,
        .vertical = !(setup >> 14 & 1),
        .y = setup >> 7 & 127,
        .x = setup >> 3 & 15,
    };
    block.x_pitch = block.vertical;
    block.y_pitch = !block.vertical;

    if (!setup) {
        core->fault = "VPM DMA store without setup";
        return;
    }
    set_width(core, &block, setup & 7);
    block.memory_pitch_B = block.length << block.log2_element_B;
    if (!(stride >> 16 & 1))
        block.memory_pitch_B += stride & 0xffff;
    if (!core->fault)
        transfer(core, &block, addr, true);
}

static void load_block(struct gpu_qpu_core *core, uint32_t addr)
{
    uint32_t setup = core->dma.load_setup;
    unsigned length = setup >> 20 & 15, rows = setup >> 16 & 15, pitch = setup >> 12 & 15,
             log2_pitch = setup >> 24 & 15;
    struct block block = {
        .vpm = core->run->user->vpm,
        .rows = rows ? rows : 16,
        .length = length ? length : 16,
        .vertical = setup >> 11 & 1,
        .y = setup >> 4 & 127,
        .x = setup & 15,
        .y_pitch = pitch ? pitch : 16, /* vertical blocks, too: QPULib loads columns as rows of one element */
        .memory_pitch_B = log2_pitch ? 8u << log2_pitch : core->dma.load_pitch_B,
    };

    if (!setup) {
        core->fault = "VPM DMA load without setup";
        return;
    }
    set_width(core, &block, setup >> 28 & 7);
    if (!core->fault)
        transfer(core, &block, addr, false);
}

/* -- lanes of an own row ------------------------------------------------------------------------------------------- */

static uint8_t *lane_word(struct gpu_qpu_core *core, uint32_t addr)
{
    uint8_t *at = gpu_qpu_in_window(core, GPU_WINDOW_LANES, addr, 4);

    if (gpu_qpu_is_null_page(core, addr))
        return NULL;
    return at ? at : gpu_qpu_memory(core, GPU_WINDOW_LANES, addr, 4);
}

static void count_stray(struct gpu_user_io *io, uint32_t addr)
{
    if (addr >= GPU_NULL_PAGE_END && !io->stray_accesses++)
        io->stray_addr = addr;
}

uint8_t *gpu_vpm_dma_word(struct gpu_qpu_core *core, uint32_t addr)
{
    uint8_t *at = lane_word(core, addr);

    if (UTIL_UNLIKELY(!at))
        count_stray(core->run->user, addr);
    return at;
}

static bool is_row_of_words(const union gpu_vec *addr)
{
    uint32_t differences = 0;

    for (unsigned l = 0; l < QPU_LANES; l++)
        differences |= addr->u[l] ^ (addr->u[0] + 4 * l);
    return !differences;
}

static struct block own_row(struct gpu_qpu_core *core, uint32_t setup)
{
    return (struct block){.vpm = (uint32_t(*)[QPU_LANES])core->own_rows[setup % QPU_OWN_ROWS].u,
                          .rows = 1,
                          .log2_element_B = setup & QPU_DMA_BYTES    ? 0
                                            : setup & QPU_DMA_HALVES ? 1
                                                                     : 2};
}

/* Loads one word for all lanes. */
static void load_for_all(struct gpu_qpu_core *core, uint32_t addr, uint32_t row[QPU_LANES])
{
    const uint8_t *at = gpu_vpm_dma_word(core, addr);
    uint32_t word = 0;

    if (at)
        memcpy(&word, at, 4);
    for (unsigned l = 0; l < QPU_LANES; l++)
        row[l] = word;
}

static bool is_same_word(const union gpu_vec *addr)
{
    uint32_t differences = 0;

    for (unsigned l = 1; l < QPU_LANES; l++)
        differences |= addr->u[l] ^ addr->u[0];
    return !differences;
}

/* Lane by lane, or at once where the lanes' words lie in a row. */
static void transfer_lanes(struct gpu_qpu_core *core, uint32_t setup, const union gpu_vec *addr, bool store)
{
    struct gpu_user_io *io = core->run->user;
    struct block block = own_row(core, setup);
    const uint32_t element_B = 1u << block.log2_element_B;
    uint32_t *row = block.vpm[0];

    block.length = QPU_LANES;
    if (setup & QPU_DMA_ROW || (element_B == 4 && is_row_of_words(addr))) {
        transfer(core, &block, addr->u[0], store);
        return;
    }
    if (UTIL_UNLIKELY(core->stats))
        count_transfer(core->stats, &block, store);
    if (!store && is_same_word(addr)) {
        load_for_all(core, addr->u[0], row);
        return;
    }
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint8_t *at = element_B == 4 ? lane_word(core, addr->u[l]) : gpu_mem_at(core->mem, addr->u[l], element_B);
        if (!store)
            row[l] = 0;
        if (!at)
            count_stray(io, addr->u[l]);
        else if (!store)
            memcpy(&row[l], at, 4);
        else if (is_store_kept(io, addr->u[l]))
            memcpy(at, &row[l], element_B); /* the low bytes */
    }
}

void gpu_vpm_dma_store(struct gpu_qpu_core *core, const union gpu_vec *addr)
{
    if (core->dma.store_setup >> 30 == 1)
        transfer_lanes(core, core->dma.store_setup, addr, true);
    else
        store_block(core, addr->u[0]);
}

void gpu_vpm_dma_load(struct gpu_qpu_core *core, const union gpu_vec *addr)
{
    if (core->dma.load_setup >> 30 == 1)
        transfer_lanes(core, core->dma.load_setup, addr, false);
    else
        load_block(core, addr->u[0]);
}

/* -- lane by lane -------------------------------------------------------------------------------------------------- */

/* Setup words for single words in a row of the VPM. Row and column vary, everything else is fixed. */
#define STORE_WORD      0x80814000u
#define STORE_WORD_MASK 0xffffc007u
#define STORE_COLUMN    8u
#define LOAD_WORD       0x80110000u /* the VPM pitch may be anything */
#define LOAD_WORD_MASK  0xffff0800u

/* Whether the setups from `first` to `last` go through all columns of one row, from column 0. */
static bool counts_columns(uint32_t first, uint32_t last, uint32_t column_mask, uint32_t row_mask)
{
    return !(first & column_mask) && (last & column_mask) == column_mask && (first & row_mask) == (last & row_mask);
}

uint32_t *gpu_vpm_dma_word_row(struct gpu_qpu_core *core, uint32_t setup, bool store)
{
    struct gpu_user_io *io = core->run->user;
    uint32_t last = setup + (QPU_LANES - 1) * (store ? STORE_COLUMN : 1);

    if (!io || io->filters_stores)
        return NULL;
    if (store && (setup & STORE_WORD_MASK) == STORE_WORD && counts_columns(setup, last, 15u << 3, 127u << 7))
        return io->vpm[setup >> 7 & ROW_MASK];
    if (!store && (setup & LOAD_WORD_MASK) == LOAD_WORD && counts_columns(setup, last, 15, 127u << 4))
        return io->vpm[setup >> 4 & ROW_MASK];
    return NULL;
}

void gpu_vpm_dma_store_lanes(struct gpu_qpu_core *core, uint32_t setup, uint32_t step, const union gpu_vec *addr)
{
    struct gpu_user_io *io = core->run->user;
    uint32_t last = setup + (QPU_LANES - 1) * step;
    bool simple = io && (setup & STORE_WORD_MASK) == STORE_WORD && step == STORE_COLUMN && !io->filters_stores &&
                  counts_columns(setup, last, 15u << 3, 127u << 7);

    if (simple) {
        const uint32_t *row = io->vpm[setup >> 7 & ROW_MASK];
        for (unsigned l = 0; l < QPU_LANES; l++) {
            uint8_t *at = lane_word(core, addr->u[l]);
            if (at)
                memcpy(at, &row[l], 4);
            else
                count_stray(io, addr->u[l]);
        }
        core->dma.store_setup = last;
        return;
    }
    for (unsigned l = 0; l < QPU_LANES && !core->fault; l++) {
        gpu_vpm_setup_write(core, setup + l * step);
        if (!core->fault)
            store_block(core, addr->u[l]);
    }
}

void gpu_vpm_dma_load_lanes(struct gpu_qpu_core *core, uint32_t setup, uint32_t step, const union gpu_vec *addr)
{
    struct gpu_user_io *io = core->run->user;
    uint32_t last = setup + (QPU_LANES - 1) * step;
    bool simple =
        io && (setup & LOAD_WORD_MASK) == LOAD_WORD && step == 1 && counts_columns(setup, last, 15, 127u << 4);

    if (simple) {
        uint32_t *row = io->vpm[setup >> 4 & ROW_MASK];
        for (unsigned l = 0; l < QPU_LANES; l++) {
            const uint8_t *at = lane_word(core, addr->u[l]);
            row[l] = 0;
            if (at)
                memcpy(&row[l], at, 4);
            else
                count_stray(io, addr->u[l]);
        }
        core->dma.load_setup = last;
        return;
    }
    for (unsigned l = 0; l < QPU_LANES && !core->fault; l++) {
        gpu_vpm_setup_read(core, setup + l * step);
        if (!core->fault)
            load_block(core, addr->u[l]);
    }
}
