/* SPDX-License-Identifier: MIT
 *
 * Peripherals of the QPU: read and write addresses from 32 up, and signals [guide p.29 table 4, p.37-38 table 14].
 */
#include <math.h>
#include <string.h>
#include "model/gpu/gpu_qpu_state.h"

#define PAGE_B 4096u

static struct gpu_fragment_io *fragment_io(struct gpu_qpu_core *core)
{
    if (core->run->kind == QPU_PROGRAM_FRAGMENT)
        return core->run->fragment;
    core->fault = "a program that is no fragment program uses fragment registers or the tile buffer";
    return NULL;
}

static bool has_vpm(struct gpu_qpu_core *core)
{
    if (core->run->kind != QPU_PROGRAM_FRAGMENT || core->run->user)
        return true;
    core->fault = "a fragment program uses the VPM";
    return false;
}

static struct gpu_user_io *user_io(struct gpu_qpu_core *core)
{
    if (core->run->user)
        return core->run->user;
    core->fault = "a program that is no user program uses VPM DMA, the mutex, semaphores or host interrupts";
    return NULL;
}

/* Finds a mapped range around an address. Without mem->range_at, tries a block of 64 KiB, then one of 4 KiB. */
static bool find_range(const struct gpu_memory *mem, uint32_t addr, uint32_t *first_out, uint32_t *size_B_out)
{
    if (mem->range_at)
        return mem->range_at(mem, addr, first_out, size_B_out);
    for (uint32_t size_B = 16 * PAGE_B; size_B >= PAGE_B; size_B /= 16) {
        uint32_t first = addr & ~(size_B - 1);
        if ((uint64_t)first + size_B <= mem->size_B && mem->is_mapped(mem, first, size_B)) {
            *first_out = first;
            *size_B_out = size_B;
            return true;
        }
    }
    return false;
}

uint8_t *gpu_qpu_memory(struct gpu_qpu_core *core, unsigned window, uint32_t addr, uint32_t size_B)
{
    const struct gpu_memory *mem = core->mem;
    uint8_t *at = gpu_qpu_in_window(core, window, addr, size_B);
    struct gpu_window *w = &core->window[window];
    uint32_t first, range_B;

    if (at)
        return at;
    if ((uint64_t)addr + size_B > mem->size_B)
        return NULL;
    if (!find_range(mem, addr, &first, &range_B))
        return mem->is_mapped(mem, addr, size_B) ? mem->base + addr : NULL;
    *w = (struct gpu_window){first, range_B, range_B < 4 ? 0 : MIN2(range_B, UINT32_C(0x7fffffff)) - 3};
    return size_B <= range_B - (addr - first) || mem->is_mapped(mem, addr, size_B) ? mem->base + addr : NULL;
}

uint32_t gpu_qpu_load_word(struct gpu_qpu_core *core, unsigned window, uint32_t addr)
{
    const uint8_t *at = gpu_qpu_is_null_page(core, addr) ? NULL : gpu_qpu_memory(core, window, addr & ~3u, 4);
    uint32_t word = 0;

    if (at)
        memcpy(&word, at, 4);
    return word;
}

void gpu_qpu_load_words(struct gpu_qpu_core *core, unsigned window, const union gpu_vec *addr, union gpu_vec *result)
{
    const struct gpu_simd *simd = core->simd;
    const struct gpu_window *w = &core->window[window];

    if (simd && simd->load(core->mem->base + w->addr, w->addr, w->size_B, addr, result))
        return;
    for (unsigned l = 0; l < QPU_LANES; l++)
        result->u[l] = gpu_qpu_load_word(core, window, addr->u[l]);
}

/* -- uniforms ----------------------------------------------------------------------------------------------------- */

uint32_t gpu_qpu_pop_uniform(struct gpu_qpu_core *core)
{
    uint32_t addr = core->uniforms_addr & ~3u, word;

    if (UTIL_UNLIKELY(addr == core->uniforms_end)) {
        core->fault = "QPU program reads more uniforms than its request has";
        return 0;
    }
    core->uniforms_addr = addr + 4;
    if (UTIL_UNLIKELY(core->stats))
        gpu_stats_add(core->stats, MODEL_COST_UNIFORM_B, 4);
    if (UTIL_UNLIKELY((addr & ~(PAGE_B - 1)) != core->uniforms_page)) {
        if (addr > core->mem->size_B - 4 || !core->mem->is_mapped(core->mem, addr, 4))
            return 0;
        if (core->mem->is_mapped(core->mem, addr & ~(PAGE_B - 1), PAGE_B))
            core->uniforms_page = addr & ~(PAGE_B - 1);
    }
    memcpy(&word, core->mem->base + addr, sizeof word);
    return word;
}

uint32_t gpu_qpu_uniform_at(struct gpu_qpu_core *core, uint32_t addr)
{
    struct gpu_window *w = &core->uniforms_window;
    uint32_t end = core->uniforms_end, word;

    core->uniforms_addr = addr;
    word = gpu_qpu_pop_uniform(core);
    w->words_B = 0;
    if (core->fault || core->uniforms_page != (addr & ~(PAGE_B - 1)))
        return word;
    w->addr = core->uniforms_page;
    w->words_B = end - w->addr < PAGE_B ? end - w->addr : PAGE_B;
    return word;
}

bool gpu_qpu_uniforms_at(struct gpu_qpu_core *core, uint32_t addr, uint32_t count)
{
    const struct gpu_memory *mem = core->mem;
    const uint32_t end = core->uniforms_end, size_B = 4 * count;
    struct gpu_window *w = &core->uniforms_window;
    uint32_t first, range_B;

    w->words_B = 0;
    if ((uint64_t)addr + size_B > mem->size_B || (end != 1 && (addr > end || end - addr < size_B)))
        return false;
    if (!find_range(mem, addr, &first, &range_B) || range_B - (addr - first) < size_B) {
        if (!mem->is_mapped(mem, addr, size_B))
            return false;
        first = addr;
        range_B = size_B;
    }
    if (end > first && end - first < range_B) /* 1: no limit */
        range_B = end - first;
    w->addr = first;
    w->words_B = range_B & ~3u;
    return true;
}

/* -- reads -------------------------------------------------------------------------------------------------------- */

/* [guide p.51-52] VARYING returns the partial sum; r5 is the constant coefficient from the next instruction on. The
 * chip's float units produce no NaN. Which infinity replaces it is not documented: UNVERIFIED, decided here. The NaN of
 * the host would depend on the order in which its compiler placed the operands. */
static void read_varying(struct gpu_qpu_core *core, union gpu_vec *out)
{
    struct gpu_fragment_io *io = fragment_io(core);
    unsigned v = core->varying;

    if (!io)
        return;
    if (v >= io->varying_count) {
        core->fault = "fragment program reads more varyings than there are";
        return;
    }
    for (unsigned q = 0; q < GPU_QUADS; q++) {
        const struct gpu_varying *varying = &io->varyings[q][v];
        for (unsigned l = 4 * q; l < 4 * q + 4; l++) {
            float sum = varying->a * io->dx[l] + varying->b * io->dy[l];
            out->f[l] = sum < INFINITY ? sum : INFINITY;
            core->varying_c.f[l] = varying->c;
        }
    }
    core->varying++;
    core->r5_pending = true;
}

void gpu_qpu_read_peripheral(struct gpu_qpu_core *core, unsigned side, unsigned raddr, union gpu_vec *out)
{
    struct gpu_fragment_io *io;

    gpu_vec_splat(out, GPU_POISON);
    switch (raddr) {
    case QPU_R_UNIFORM:
        gpu_vec_splat(out, gpu_qpu_pop_uniform(core));
        break;
    case QPU_R_VARYING:
        read_varying(core, out);
        break;
    case QPU_R_ELEMENT_QPU:
        for (unsigned l = 0; l < QPU_LANES; l++)
            out->u[l] = side ? core->run->qpu : l; /* bin and render programs of the chip run on QPU 0 */
        break;
    case QPU_R_XY_PIXEL_COORD:
        io = fragment_io(core);
        if (io)
            memcpy(out, side ? io->y_px : io->x_px, sizeof *out);
        break;
    case QPU_R_MS_REV_FLAGS:
        io = fragment_io(core);
        if (io)
            memcpy(out, side ? io->rev_flag : io->ms_flags, sizeof *out);
        break;
    case QPU_R_VPM:
        if (has_vpm(core))
            gpu_vpm_read(core, out);
        break;
    case QPU_R_VPM_BUSY: /* transfers complete immediately */
    case QPU_R_VPM_WAIT:
        if (user_io(core))
            gpu_vec_splat(out, 0);
        break;
    case QPU_R_MUTEX_ACQUIRE: /* must_wait() has taken it */
        if (!user_io(core))
            break;
        for (unsigned l = 0; l < QPU_LANES; l++)
            out->u[l] = side ? core->run->qpu : l;
        break;
    default:
        core->fault = "QPU program reads an address where nothing is";
    }
}

/* -- texture units ------------------------------------------------------------------------------------------------ */

static union gpu_vec *tmu_parameter(struct gpu_tmu_request *request, unsigned which)
{
    union gpu_vec *const parameters[4] = {&request->s, &request->t, &request->r, &request->b};

    return parameters[which];
}

static void clear_request(struct gpu_tmu_request *request)
{
    request->configs = 0;
    memset(&request->s, 0, 4 * sizeof request->s);
}

void gpu_qpu_misuse_tmu(struct gpu_qpu_core *core, enum gpu_tmu_misuse how)
{
    static const char *const messages[] = {
        [GPU_TMU_FULL] = "more texture requests than the FIFO holds: the QPU would stall for ever",
        [GPU_TMU_EMPTY] = "texture result that nobody asked for never comes",
        [GPU_TMU_TOO_MANY] = "more than four parameters of one texture request",
    };

    core->fault = messages[how];
}

void gpu_qpu_sample(struct gpu_qpu_core *core, unsigned unit, union gpu_vec *result)
{
    core->fault = gpu_tmu_sample(core->tmu, &core->tmu_port[unit].request, result);
}

static void count_lookups(struct gpu_stats *stats, bool direct)
{
    gpu_stats_add(stats, direct ? MODEL_COST_MEMORY_LOOKUPS : MODEL_COST_TEXTURE_LOOKUPS, QPU_LANES);
    if (direct)
        gpu_stats_add(stats, MODEL_COST_MEMORY_B, 4 * QPU_LANES);
}

void gpu_qpu_find_texture(struct gpu_qpu_core *core, unsigned near, uint32_t p0, uint32_t p1)
{
    gpu_tmu_find_nearest(core->tmu, p0, p1, &core->near[near]);
}

/* Writing S alone is a direct lookup, which reads no uniform. Any other write reads one; so does S, which also submits
 * the request. The request FIFO holds 8 parameters of requests whose results were not read; with more the QPU would
 * stall for ever [guide p.39-40]. Host code does the same (jit_tmu.c). */
static void write_tmu(struct gpu_qpu_core *core, unsigned unit, unsigned which, const union gpu_vec *value,
                      const union gpu_vec *mask)
{
    struct gpu_tmu_port *port = &core->tmu_port[unit];
    struct gpu_tmu_request *request = &port->request;
    unsigned slot = (port->head + port->count) % GPU_TMU_FIFO, params;
    bool submit = which == 0, direct = submit && request->configs == 0;
    union gpu_vec *parameter = tmu_parameter(request, which);

    if (!request->configs)
        clear_request(request);
    for (unsigned l = 0; l < QPU_LANES; l++)
        parameter->u[l] = (value->u[l] & mask->u[l]) | (GPU_POISON & ~mask->u[l]);
    if (!direct) {
        if (request->configs == ARRAY_SIZE(request->config)) {
            gpu_qpu_misuse_tmu(core, GPU_TMU_TOO_MANY);
            return;
        }
        request->config[request->configs++] = gpu_qpu_pop_uniform(core);
    }
    if (!submit)
        return;
    params = direct ? 1 : request->configs;
    if (port->outstanding_params + params > GPU_TMU_FIFO) {
        gpu_qpu_misuse_tmu(core, GPU_TMU_FULL);
        return;
    }
    if (UTIL_UNLIKELY(core->stats))
        count_lookups(core->stats, direct);
    if (direct)
        gpu_qpu_load_words(core, GPU_WINDOW_LOADS, &request->s, &port->result[slot]);
    else
        gpu_qpu_sample(core, unit, &port->result[slot]);
    port->params[slot] = (uint8_t)params;
    port->outstanding_params += params;
    port->count++;
    request->configs = 0;
}

static void load_tmu(struct gpu_qpu_core *core, unsigned unit)
{
    struct gpu_tmu_port *port = &core->tmu_port[unit];

    if (!port->count) {
        gpu_qpu_misuse_tmu(core, GPU_TMU_EMPTY);
        return;
    }
    core->acc[4] = port->result[port->head];
    port->outstanding_params -= port->params[port->head];
    port->head = (port->head + 1) % GPU_TMU_FIFO;
    port->count--;
}

/* -- writes ------------------------------------------------------------------------------------------------------- */

static uint32_t lanes_of(const union gpu_vec *mask)
{
    uint32_t lanes = 0;

    for (unsigned l = 0; l < QPU_LANES; l++)
        lanes |= (mask->u[l] & 1) << l;
    return lanes;
}

static void write_tile_buffer(struct gpu_qpu_core *core, unsigned waddr, const union gpu_vec *value, uint32_t lanes)
{
    struct gpu_fragment_io *io = fragment_io(core);

    if (!io)
        return;
    if (waddr == QPU_W_TLB_STENCIL_SETUP) {
        if (lanes & 1)
            io->stencil_setup(io, value->u[0]);
    } else if (waddr == QPU_W_TLB_Z) {
        io->z_test(io, value->u, lanes);
    } else {
        io->color_store(io, value->u, lanes, waddr == QPU_W_TLB_COLOR_ALL);
    }
}

static void write_flags(struct gpu_qpu_core *core, unsigned side, const union gpu_vec *value, uint32_t lanes)
{
    struct gpu_fragment_io *io = fragment_io(core);

    for (unsigned l = 0; io && l < QPU_LANES; l++) {
        if (lanes >> l & 1)
            *(side ? &io->rev_flag[l] : &io->ms_flags[l]) = value->u[l] & (side ? 1 : 15);
    }
}

void gpu_qpu_write_peripheral(struct gpu_qpu_core *core, unsigned side, unsigned waddr, const union gpu_vec *value,
                              const union gpu_vec *mask)
{
    uint32_t lanes = lanes_of(mask);

    if (qpu_waddr_is_tmu(waddr)) {
        write_tmu(core, waddr >= QPU_W_TMU1_S, waddr & 3, value, mask);
        return;
    }
    switch (waddr) {
    case QPU_W_UNIFORMS_ADDRESS:
        if (side)
            core->fault = "relative uniforms address is not documented";
        else if (lanes & 1) {
            core->uniforms_addr = value->u[0];
            core->uniforms_end = 1;
        }
        break;
    case QPU_W_MS_REV_FLAGS:
        write_flags(core, side, value, lanes);
        break;
    case QPU_W_TLB_STENCIL_SETUP:
    case QPU_W_TLB_Z:
    case QPU_W_TLB_COLOR_MS:
    case QPU_W_TLB_COLOR_ALL:
        write_tile_buffer(core, waddr, value, lanes);
        break;
    case QPU_W_VPM:
        if (has_vpm(core))
            gpu_vpm_write(core, value, mask);
        break;
    case QPU_W_VPMVCD_SETUP:
        if (!has_vpm(core))
            break;
        if (side)
            gpu_vpm_setup_write(core, value->u[0]);
        else
            gpu_vpm_setup_read(core, value->u[0]);
        break;
    case QPU_W_TMU_NOSWAP: /* the model's two units are alike */
        break;
    case QPU_W_VPM_ADDR:
        if (!user_io(core))
            break;
        if (!(lanes & 1))
            core->fault = "VPM DMA address without lane 0";
        else if (side)
            gpu_vpm_dma_store(core, value);
        else
            gpu_vpm_dma_load(core, value);
        break;
    case QPU_W_MUTEX_RELEASE:
        if (user_io(core))
            atomic_store(&core->run->user->share->mutex_holder, GPU_MUTEX_FREE);
        break;
    case QPU_W_HOST_INT:
        for (unsigned l = 0; user_io(core) && l < QPU_LANES; l++)
            core->run->user->interrupts |= (value->u[l] & mask->u[l]) ? BIT(core->run->qpu % 32) : 0;
        break;
    case QPU_W_TLB_ALPHA_MASK:
        core->fault = "the alpha mask is not modelled";
        break;
    default:
        core->fault = "QPU program writes an address where nothing is";
    }
}

void gpu_qpu_semaphore(struct gpu_qpu_core *core, uint32_t word)
{
    struct gpu_user_io *io = user_io(core);

    if (!io)
        return;
    const uint8_t times = gpu_qpu_semaphore_times(word, io->is_engine);
    io->semaphores->count[word & 15] += word & QPU_SEMAPHORE_DECREMENT ? -times : times;
}

/* -- signals ------------------------------------------------------------------------------------------------------ */

void gpu_qpu_signal(struct gpu_qpu_core *core, unsigned sig)
{
    struct gpu_fragment_io *io;

    switch (sig) {
    case QPU_SIG_NONE:
    case QPU_SIG_SMALL_IMM:
    case QPU_SIG_WAIT_SCOREBOARD: /* batches of a tile run in order, so the scoreboard is always free */
    case QPU_SIG_UNLOCK_SCOREBOARD:
        break;
    case QPU_SIG_THREAD_SWITCH:
    case QPU_SIG_LAST_THREAD_SWITCH:
        core->switch_delay = 3;
        break;
    case QPU_SIG_COLOR_LOAD:
    case QPU_SIG_COLOR_LOAD_END:
        io = fragment_io(core);
        if (io)
            io->color_load(io, core->acc[4].u);
        if (sig == QPU_SIG_COLOR_LOAD_END)
            core->end_delay = 3;
        break;
    case QPU_SIG_PROGRAM_END:
        core->end_delay = 3;
        break;
    case QPU_SIG_LOAD_TMU0:
    case QPU_SIG_LOAD_TMU1:
        load_tmu(core, sig - QPU_SIG_LOAD_TMU0);
        break;
    case QPU_SIG_BREAKPOINT:
        core->fault = "QPU breakpoint";
        break;
    default:
        core->fault = "coverage and alpha mask loads are not modelled";
    }
}
