/* SPDX-License-Identifier: MIT
 *
 * V3D's register block [guide p.82-104]. What a register does is here, but for those of lists and of user programs.
 * Bits that the guide calls reserved read 0.
 */
#include <errno.h>
#include <stdlib.h>
#include "board/board_private.h"

#define DEFAULT_LIMIT_MS 10000u
#define PAGE_B           4096u

unsigned board_v3d_version(void)
{
    return BOARD_V3D_VERSION;
}

/* -- memory -------------------------------------------------------------------------------------------------------- */

static bool is_mapped(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    const struct board_v3d_machine *machine = &container_of(mem, struct board_v3d, memory)->machine;
    const uint32_t offset = addr - machine->memory_addr;
    return addr >= machine->memory_addr && offset <= machine->memory_size_B &&
           size_B <= machine->memory_size_B - offset;
}

static bool range_at(const struct gpu_memory *mem, uint32_t addr, uint32_t *first_out, uint32_t *size_B_out)
{
    const struct board_v3d_machine *machine = &container_of(mem, struct board_v3d, memory)->machine;
    *first_out = machine->memory_addr;
    *size_B_out = machine->memory_size_B;
    return is_mapped(mem, addr, 1);
}

/* -- interrupts ---------------------------------------------------------------------------------------------------- */

bool board_interrupt_level(const struct board_v3d *v3d)
{
    return (v3d->interrupts & v3d->interrupts_enabled) || v3d->user.interrupts;
}

void board_unlock(struct board_v3d *v3d, bool level_before)
{
    const bool has_changed = board_interrupt_level(v3d) != level_before;
    pthread_mutex_unlock(&v3d->mutex);
    if (has_changed && v3d->machine.interrupt_changed)
        v3d->machine.interrupt_changed(v3d->machine.data);
}

/* OUTOMEM stays set while the binner waits for memory [guide p.95]. */
static void clear_interrupts(struct board_v3d *v3d, uint32_t bits)
{
    v3d->interrupts &= ~bits;
    if (v3d->list[BOARD_BIN].is_waiting)
        v3d->interrupts |= INT_OUTOMEM;
}

bool board_v3d_interrupt(struct board_v3d *v3d)
{
    pthread_mutex_lock(&v3d->mutex);
    const bool level = board_interrupt_level(v3d);
    pthread_mutex_unlock(&v3d->mutex);
    return level;
}

/* -- performance counters ------------------------------------------------------------------------------------------ */

void board_add_counts(struct board_v3d *v3d, const uint64_t counts[GPU_COUNTS])
{
    if (!(v3d->counters_enabled & PCTRE_ON))
        return;
    for (unsigned n = 0; n < PCTR_COUNTERS; n++) {
        const uint32_t source = v3d->counter_source[n];
        if ((v3d->counters_enabled & BIT(n)) && source < GPU_COUNTS)
            v3d->counter[n] += (uint32_t)counts[source];
    }
}

static uint32_t *counter_register(struct board_v3d *v3d, uint32_t offset)
{
    const uint32_t n = (offset - V3D_PCTR0) / 8;
    return offset & 4 ? &v3d->counter_source[n] : &v3d->counter[n];
}

static void clear_counters(struct board_v3d *v3d, uint32_t bits)
{
    for (unsigned n = 0; n < PCTR_COUNTERS; n++)
        if (bits & BIT(n))
            v3d->counter[n] = 0;
}

/* -- reset --------------------------------------------------------------------------------------------------------- */

static void set_reset_values(struct board_v3d *v3d)
{
    for (unsigned n = 0; n < BOARD_LISTS; n++) {
        struct board_list *list = &v3d->list[n];
        list->state = BOARD_STOPPED_AT_END;
        list->has_error = false;
        list->ca = list->ea = 0;
        list->flushes = list->returns = 0;
        atomic_store(&list->monitor.pool_next, 0);
        atomic_store(&list->monitor.pool_left_B, 0);
    }
    struct board_user *user = &v3d->user;
    user->is_hung = user->has_error = false;
    user->requested = user->completed = 0;
    user->uniforms_addr = user->uniforms_count = 0;
    user->length = 0;
    user->interrupts = user->interrupts_enabled = 0;
    gpu_reset_semaphore(v3d->gpu);

    v3d->interrupts = v3d->interrupts_enabled = 0;
    v3d->overspill_addr = v3d->overspill_B = 0;
    v3d->flush_count = v3d->frame_count = 0;
    v3d->scratch = v3d->l2_enabled = v3d->bxcf = v3d->sqcntl = v3d->vpacntl = v3d->vpmbase = 0;
    v3d->sqrsv[0] = v3d->sqrsv[1] = 0;
    v3d->counters_enabled = 0;
    for (unsigned n = 0; n < PCTR_COUNTERS; n++)
        v3d->counter[n] = v3d->counter_source[n] = 0;
}

/* Whether anything still executes. */
static bool cancel_all(struct board_v3d *v3d)
{
    const bool lists = board_lists_cancel(v3d, 0, BOARD_LISTS);
    const bool user = board_user_cancel(v3d);
    return lists || user;
}

/* The mutex is held. */
static void reset(struct board_v3d *v3d)
{
    v3d->resets++;
    while (cancel_all(v3d))
        pthread_cond_wait(&v3d->changed, &v3d->mutex);
    pthread_mutex_unlock(&v3d->mutex); /* the chip takes its own mutex, inside of which it asks for requests */
    gpu_reset_user(v3d->gpu);
    pthread_mutex_lock(&v3d->mutex);
    v3d->resets--;
    set_reset_values(v3d);
    pthread_cond_broadcast(&v3d->changed);
}

void board_v3d_reset(struct board_v3d *v3d)
{
    pthread_mutex_lock(&v3d->mutex);
    const bool level_before = board_interrupt_level(v3d);
    reset(v3d);
    board_unlock(v3d, level_before);
}

/* VPMBASE can be written only while nothing runs [guide p.92]. */
static void write_vpmbase(struct board_v3d *v3d, uint32_t value)
{
    if (v3d->machine.resets_by_vpmbase && !value)
        reset(v3d);
    else if (!board_pcs(v3d))
        v3d->vpmbase = value & 0x1f;
}

/* -- registers ----------------------------------------------------------------------------------------------------- */

/* Where the register of an offset is one of a pair for the list threads: thread and first of the pair. */
static bool find_list_register(uint32_t offset, unsigned *n_out, enum board_register *first_out)
{
    *n_out = offset / 4 & 1;
    *first_out = (enum board_register)(offset & ~4u);
    return offset >= V3D_CT0CS && offset < V3D_PCS;
}

static bool is_counter(uint32_t offset)
{
    return offset >= V3D_PCTR0 && offset < V3D_PCTR_END;
}

static uint32_t read_register(struct board_v3d *v3d, uint32_t offset)
{
    const struct gpu_monitor *binner = &v3d->list[BOARD_BIN].monitor;
    enum board_register first;
    unsigned n;
    if (find_list_register(offset, &n, &first))
        return board_list_read(v3d, n, first);
    if (is_counter(offset))
        return *counter_register(v3d, offset);
    switch (offset) {
    case V3D_IDENT0:
        return IDENT0_VALUE;
    case V3D_IDENT1:
        return IDENT1_VALUE;
    case V3D_IDENT2:
        return IDENT2_VALUE;
    case V3D_SCRATCH:
        return v3d->scratch;
    case V3D_L2CACTL:
        return v3d->l2_enabled;
    case V3D_INTCTL:
        return v3d->interrupts;
    case V3D_INTENA:
        return v3d->interrupts_enabled;
    case V3D_INTDIS: /* what a read gives is not documented beyond that it mirrors an interrupt */
        return ~v3d->interrupts_enabled & INT_MASK;
    case V3D_PCS:
        return board_pcs(v3d);
    case V3D_BFC:
        return v3d->flush_count;
    case V3D_RFC:
        return v3d->frame_count;
    case V3D_BPCA:
        return atomic_load(&binner->pool_next);
    case V3D_BPCS:
        return atomic_load(&binner->pool_left_B);
    case V3D_BPOA:
        return v3d->overspill_addr;
    case V3D_BPOS:
        return v3d->overspill_B;
    case V3D_BXCF:
        return v3d->bxcf;
    case V3D_SQRSV0:
    case V3D_SQRSV1:
        return v3d->sqrsv[(offset - V3D_SQRSV0) / 4];
    case V3D_SQCNTL:
        return v3d->sqcntl;
    case V3D_SRQUA:
        return v3d->user.uniforms_addr;
    case V3D_SRQUL:
        return v3d->user.uniforms_count;
    case V3D_SRQCS:
        return board_user_status(v3d);
    case V3D_VPACNTL:
        return v3d->vpacntl;
    case V3D_VPMBASE:
        return v3d->vpmbase;
    case V3D_PCTRE:
        return v3d->counters_enabled;
    case V3D_DBQITE:
        return v3d->user.interrupts_enabled;
    case V3D_DBQITC:
        return v3d->user.interrupts;
    case V3D_ERRSTAT:
        return board_pcs(v3d) & (PCS_BIN_ACTIVE | PCS_RENDER_ACTIVE) ? 0 : ERRSTAT_VCD_IDLE;
    default: /* SRQPC, SLCACTL and PCTRC are write-only; the other debug registers report errors that no model has */
        return 0;
    }
}

static void write_register(struct board_v3d *v3d, uint32_t offset, uint32_t value)
{
    enum board_register first;
    unsigned n;
    if (find_list_register(offset, &n, &first)) {
        board_list_write(v3d, n, first, value);
        return;
    }
    if (is_counter(offset)) {
        *counter_register(v3d, offset) = offset & 4 ? value & PCTRS_MASK : value;
        return;
    }
    switch (offset) {
    case V3D_SCRATCH:
        v3d->scratch = value;
        break;
    case V3D_L2CACTL:
        v3d->l2_enabled = value & L2CACTL_ENABLED ? 1 : value & L2CACTL_DISABLE ? 0 : v3d->l2_enabled;
        break;
    case V3D_INTCTL:
        clear_interrupts(v3d, value);
        break;
    case V3D_INTENA:
        v3d->interrupts_enabled |= value & INT_MASK;
        break;
    case V3D_INTDIS:
        v3d->interrupts_enabled &= ~value;
        break;
    case V3D_BFC:
        if (value & 1)
            v3d->flush_count = 0;
        break;
    case V3D_RFC:
        if (value & 1)
            v3d->frame_count = 0;
        break;
    case V3D_BPOA:
        v3d->overspill_addr = value;
        break;
    case V3D_BPOS:
        v3d->overspill_B = value;
        if (value)
            v3d->list[BOARD_BIN].is_waiting = false;
        pthread_cond_broadcast(&v3d->changed);
        break;
    case V3D_BXCF:
        v3d->bxcf = value & 3;
        break;
    case V3D_SQRSV0:
    case V3D_SQRSV1:
        v3d->sqrsv[(offset - V3D_SQRSV0) / 4] = value;
        break;
    case V3D_SQCNTL:
        v3d->sqcntl = value & 0xf;
        break;
    case V3D_SRQPC:
        board_user_request(v3d, value);
        break;
    case V3D_SRQUA:
        v3d->user.uniforms_addr = value;
        break;
    case V3D_SRQUL:
        v3d->user.uniforms_count = value & SRQUL_MASK;
        break;
    case V3D_SRQCS:
        board_user_control(v3d, value);
        break;
    case V3D_VPACNTL:
        v3d->vpacntl = value & 0x3fff;
        break;
    case V3D_VPMBASE:
        write_vpmbase(v3d, value);
        break;
    case V3D_PCTRC:
        clear_counters(v3d, value);
        break;
    case V3D_PCTRE:
        v3d->counters_enabled = value & PCTRE_MASK;
        break;
    case V3D_DBQITE:
        v3d->user.interrupts_enabled = value & DBQ_MASK;
        break;
    case V3D_DBQITC:
        v3d->user.interrupts &= ~value;
        break;
    default: /* read-only; SLCACTL clears caches, which are not modelled */
        break;
    }
}

uint32_t board_v3d_read(struct board_v3d *v3d, uint32_t offset)
{
    if (offset & 3 || offset >= BOARD_V3D_SIZE_B)
        return 0;
    pthread_mutex_lock(&v3d->mutex);
    const uint32_t value = read_register(v3d, offset);
    pthread_mutex_unlock(&v3d->mutex);
    return value;
}

void board_v3d_write(struct board_v3d *v3d, uint32_t offset, uint32_t value)
{
    if (offset & 3 || offset >= BOARD_V3D_SIZE_B)
        return;
    pthread_mutex_lock(&v3d->mutex);
    const bool level_before = board_interrupt_level(v3d);
    write_register(v3d, offset, value);
    board_unlock(v3d, level_before);
}

/* -- life ---------------------------------------------------------------------------------------------------------- */

static bool is_possible(const struct board_v3d_machine *machine)
{
    return machine->memory && machine->memory_size_B && machine->memory_addr % PAGE_B == 0 &&
           machine->memory_size_B <= UINT32_MAX - machine->memory_addr;
}

int board_v3d_create(const struct board_v3d_machine *machine, struct board_v3d **out)
{
    if (!is_possible(machine))
        return -EINVAL;
    struct board_v3d *v3d = calloc(1, sizeof *v3d);
    if (!v3d)
        return -ENOMEM;
    v3d->machine = *machine;
    if (!v3d->machine.limit_ms)
        v3d->machine.limit_ms = DEFAULT_LIMIT_MS;
    v3d->memory = (struct gpu_memory){
        .base = (uint8_t *)((uintptr_t)machine->memory - machine->memory_addr),
        .size_B = machine->memory_addr + machine->memory_size_B,
        .is_mapped = is_mapped,
        .range_at = range_at,
    };
    pthread_mutex_init(&v3d->mutex, NULL);
    pthread_cond_init(&v3d->changed, NULL);
    int err = gpu_create(&v3d->memory, machine->threads, &v3d->gpu);
    if (!err) {
        set_reset_values(v3d);
        err = board_lists_init(v3d);
    }
    if (!err)
        err = board_user_init(v3d);
    if (err) {
        board_v3d_destroy(v3d);
        return err;
    }
    *out = v3d;
    return 0;
}

void board_v3d_destroy(struct board_v3d *v3d)
{
    if (!v3d)
        return;
    pthread_mutex_lock(&v3d->mutex);
    v3d->ends = true;
    v3d->resets++;
    while (cancel_all(v3d))
        pthread_cond_wait(&v3d->changed, &v3d->mutex);
    pthread_mutex_unlock(&v3d->mutex);
    board_lists_finish(v3d);
    board_user_finish(v3d);
    if (v3d->gpu)
        gpu_destroy(v3d->gpu);
    pthread_cond_destroy(&v3d->changed);
    pthread_mutex_destroy(&v3d->mutex);
    free(v3d);
}
