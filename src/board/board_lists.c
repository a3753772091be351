/* SPDX-License-Identifier: MIT
 *
 * The two threads of the control-list executor as the registers show them [guide p.62-65, p.85-89]. Each has a thread
 * of the host that runs one list at a time in the chip.
 *
 * The chip's half of the model runs a list as a whole. So a list that is continued, because its end address was moved
 * or because it was halted, goes on with the state of a thread that has been reset, and a list that is halted by the
 * host is ended.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "board/board_private.h"
#include "hw/cl_gen.h"
#include "util/log.h"
#include "util/thread.h"

#define NS_PER_MS UINT64_C(1000000)

static struct board_v3d *v3d_of_list(struct board_list *list, unsigned n)
{
    return container_of(list - n, struct board_v3d, list[0]);
}

/* -- memory for the binner ----------------------------------------------------------------------------------------- */

/* The binner's allocation memory is used up: takes the overspill memory, and waits for it if there is none
 * [guide p.88-89]. False: the list is to end. */
static bool take_overspill(void *data, uint32_t *addr_out, uint32_t *size_B_out)
{
    struct board_v3d *v3d = data;
    struct board_list *list = &v3d->list[BOARD_BIN];
    pthread_mutex_lock(&v3d->mutex);
    bool level_before = board_interrupt_level(v3d);
    if (!v3d->overspill_B) {
        list->is_waiting = true;
        v3d->interrupts |= INT_OUTOMEM;
        board_unlock(v3d, level_before);
        pthread_mutex_lock(&v3d->mutex);
        while (!v3d->overspill_B && !atomic_load(&list->monitor.cancelled))
            pthread_cond_wait(&v3d->changed, &v3d->mutex);
        list->is_waiting = false;
        level_before = board_interrupt_level(v3d);
    }
    const bool has_memory = v3d->overspill_B != 0;
    *addr_out = v3d->overspill_addr;
    *size_B_out = v3d->overspill_B;
    v3d->overspill_B = 0;
    if (has_memory)
        v3d->interrupts |= INT_SPILLUSE;
    board_unlock(v3d, level_before);
    return has_memory;
}

/* -- the semaphore ------------------------------------------------------------------------------------------------- */

/* The rendering thread waits for the binning thread. False: the list is to end. */
static bool await_semaphore(void *data)
{
    struct board_v3d *v3d = data;
    struct board_list *list = &v3d->list[BOARD_RENDER];
    pthread_mutex_lock(&v3d->mutex);
    list->is_waiting = true;
    while (!gpu_semaphore(v3d->gpu) && !atomic_load(&list->monitor.cancelled))
        pthread_cond_wait(&v3d->changed, &v3d->mutex);
    list->is_waiting = false;
    pthread_mutex_unlock(&v3d->mutex);
    return !atomic_load(&list->monitor.cancelled);
}

/* -- execution ----------------------------------------------------------------------------------------------------- */

static enum gpu_status run_in_chip(struct board_v3d *v3d, unsigned n, uint32_t ca, uint32_t ea, uint64_t *counts,
                                   const char **message_out)
{
    const uint64_t limit_ns = v3d->machine.limit_ms * NS_PER_MS;
    struct gpu_monitor *monitor = &v3d->list[n].monitor;
    if (n == BOARD_BIN) {
        const struct gpu_bin_job job = {
            .ct0ca = ca,
            .ct0ea = ea,
            .overspill = {.data = v3d, .get = take_overspill},
            .limit_ns = limit_ns,
            .counts = counts,
            .monitor = monitor,
        };
        return gpu_run_bin(v3d->gpu, &job, message_out);
    }
    const struct gpu_render_job job = {
        .ct1ca = ca,
        .ct1ea = ea,
        .limit_ns = limit_ns,
        .counts = counts,
        .monitor = monitor,
        .await_semaphore = await_semaphore,
        .await_data = v3d,
    };
    return gpu_run_render(v3d->gpu, &job, message_out);
}

static void end_well(struct board_v3d *v3d, unsigned n, uint32_t ea, uint32_t flushes)
{
    struct board_list *list = &v3d->list[n];
    list->ca = ea;
    if (list->ea == ea)
        list->state = BOARD_STOPPED_AT_END;
    if (n == BOARD_RENDER) {
        v3d->frame_count++;
        v3d->interrupts |= INT_FRDONE;
    } else if (flushes) {
        v3d->flush_count += (uint8_t)flushes;
        v3d->interrupts |= INT_FLDONE;
    }
}

static void end_badly(struct board_v3d *v3d, unsigned n, const char *message)
{
    struct board_list *list = &v3d->list[n];
    const uint32_t ca = atomic_load(&list->monitor.ca);
    uint8_t id = CL_NOP_ID;
    if (v3d->memory.is_mapped(&v3d->memory, ca, 1))
        id = v3d->memory.base[ca];
    if (id == CL_HALT_ID) {
        list->ca = ca + CL_HALT_SIZE_B;
        list->state = BOARD_STOPPED_AT_HALT;
        return;
    }
    util_warn("v3d: the %s list stopped at 0x%08" PRIx32 ": %s", n == BOARD_BIN ? "binning" : "rendering", ca, message);
    list->ca = ca;
    list->state = BOARD_STOPPED_AT_END;
    list->has_error = true;
}

/* Runs the list from CA to EA. The mutex is held, but not while the chip works. */
static void execute(struct board_v3d *v3d, unsigned n)
{
    struct board_list *list = &v3d->list[n];
    const uint32_t ca = list->ca, ea = list->ea;
    uint64_t counts[GPU_COUNTS] = {0};
    const char *message = NULL;

    list->is_executing = true;
    list->begin = list->ca_read = ca;
    atomic_store(&list->monitor.ca, ca);
    atomic_store(&list->monitor.ra, 0);
    atomic_store(&list->monitor.flushes, 0);
    atomic_store(&list->monitor.returns, 0);
    atomic_store(&list->monitor.is_prefixing, false);
    atomic_store(&list->monitor.cancelled, false);
    pthread_mutex_unlock(&v3d->mutex);
    const enum gpu_status status = run_in_chip(v3d, n, ca, ea, counts, &message);
    pthread_mutex_lock(&v3d->mutex);

    const bool level_before = board_interrupt_level(v3d);
    list->is_executing = false;
    const uint32_t flushes = atomic_exchange(&list->monitor.flushes, 0);
    list->flushes += (uint16_t)flushes;
    list->returns += (uint16_t)atomic_exchange(&list->monitor.returns, 0);
    board_add_counts(v3d, counts);
    if (status == GPU_OK)
        end_well(v3d, n, ea, flushes);
    else if (!atomic_load(&list->monitor.cancelled))
        end_badly(v3d, n, message);
    pthread_cond_broadcast(&v3d->changed);
    board_unlock(v3d, level_before);
    pthread_mutex_lock(&v3d->mutex);
}

static void run_lists(struct board_v3d *v3d, unsigned n)
{
    pthread_mutex_lock(&v3d->mutex);
    while (!v3d->ends) {
        if (v3d->list[n].state == BOARD_RUNNING && !v3d->resets)
            execute(v3d, n);
        else
            pthread_cond_wait(&v3d->changed, &v3d->mutex);
    }
    pthread_mutex_unlock(&v3d->mutex);
}

static void *bin_main(void *arg)
{
    run_lists(v3d_of_list(arg, BOARD_BIN), BOARD_BIN);
    return NULL;
}

static void *render_main(void *arg)
{
    run_lists(v3d_of_list(arg, BOARD_RENDER), BOARD_RENDER);
    return NULL;
}

int board_lists_init(struct board_v3d *v3d)
{
    static void *(*const mains[BOARD_LISTS])(void *) = {bin_main, render_main};
    static const char *const names[BOARD_LISTS] = {"v3d-bin", "v3d-render"};
    for (unsigned n = 0; n < BOARD_LISTS; n++) {
        struct board_list *list = &v3d->list[n];
        if (util_thread_create(&list->thread, names[n], mains[n], list))
            return -EAGAIN;
        list->has_thread = true;
    }
    return 0;
}

void board_lists_finish(struct board_v3d *v3d)
{
    for (unsigned n = 0; n < BOARD_LISTS; n++)
        if (v3d->list[n].has_thread)
            pthread_join(v3d->list[n].thread, NULL);
}

bool board_lists_cancel(struct board_v3d *v3d, unsigned first, unsigned end)
{
    bool is_executing = false;
    for (unsigned n = first; n < end; n++) {
        atomic_store(&v3d->list[n].monitor.cancelled, true);
        is_executing |= v3d->list[n].is_executing;
    }
    pthread_cond_broadcast(&v3d->changed);
    return is_executing;
}

/* -- registers ----------------------------------------------------------------------------------------------------- */

/* A driver takes a CTnCA that stands still for a hang [kernel vc4_gem.c], and chips need no tenth of a second for a
 * record, but the model may. As long as it works within its limit, reads alternate between the record and the beginning
 * of the list. A list that waits for memory or for the other thread stands still, as on a chip. */
static uint32_t current_address(struct board_list *list)
{
    if (list->state != BOARD_RUNNING || !list->is_executing)
        return list->ca;
    const uint32_t ca = atomic_load(&list->monitor.ca);
    list->ca_read = list->is_waiting || ca != list->ca_read ? ca : list->begin;
    return list->ca_read;
}

static uint32_t status(const struct board_v3d *v3d, unsigned n)
{
    const struct board_list *list = &v3d->list[n];
    const bool walks = list->is_executing && atomic_load(&list->monitor.ra);
    uint32_t value = list->has_error ? CTCS_ERROR : 0;
    if (list->state == BOARD_RUNNING)
        value |= CTCS_RUN | (list->is_waiting && n == BOARD_RENDER ? CTCS_SUB_MODE : 0);
    if (list->state == BOARD_STOPPED_AT_HALT)
        value |= CTCS_SUB_MODE;
    if (n == BOARD_BIN && list->is_executing && atomic_load(&list->monitor.is_prefixing))
        value |= CTCS_MODE;
    if (n == BOARD_RENDER)
        value |= MIN2(gpu_semaphore(v3d->gpu), CTCS_SEMA_MAX) << CTCS_SEMA_SHIFT;
    return value | (uint32_t)walks << CTCS_DEPTH_SHIFT;
}

uint32_t board_list_read(struct board_v3d *v3d, unsigned n, enum board_register first)
{
    struct board_list *list = &v3d->list[n];
    switch (first) {
    case V3D_CT0CS:
        return status(v3d, n);
    case V3D_CT0EA:
        return list->ea;
    case V3D_CT0CA:
        return current_address(list);
    case V3D_CT0RA0:
        return list->is_executing ? atomic_load(&list->monitor.ra) : 0;
    case V3D_CT0LC:
        return (uint32_t)(uint16_t)(list->flushes + atomic_load(&list->monitor.flushes)) << 16 |
               (uint16_t)(list->returns + atomic_load(&list->monitor.returns));
    default: /* CTnPC: a list of primitives is executed at once */
        return 0;
    }
}

static void start(struct board_v3d *v3d, struct board_list *list)
{
    if (list->ca == list->ea)
        return;
    list->state = BOARD_RUNNING;
    list->has_error = false;
    pthread_cond_broadcast(&v3d->changed);
}

/* Ends the list at once. Nothing starts in the meantime. */
static void stop(struct board_v3d *v3d, unsigned n)
{
    struct board_list *list = &v3d->list[n];
    v3d->resets++;
    while (board_lists_cancel(v3d, n, n + 1))
        pthread_cond_wait(&v3d->changed, &v3d->mutex);
    v3d->resets--;
    if (list->state == BOARD_RUNNING)
        list->ca = atomic_load(&list->monitor.ca);
    list->state = BOARD_STOPPED_AT_HALT;
    pthread_cond_broadcast(&v3d->changed);
}

static void control(struct board_v3d *v3d, unsigned n, uint32_t value)
{
    struct board_list *list = &v3d->list[n];
    if (value & CTCS_RESET) {
        stop(v3d, n);
        list->state = BOARD_STOPPED_AT_END;
        list->has_error = false;
        if (n == BOARD_RENDER)
            gpu_reset_semaphore(v3d->gpu);
        return;
    }
    if ((value & CTCS_RUN) && list->state == BOARD_RUNNING)
        stop(v3d, n);
    if ((value & CTCS_SUB_MODE) && list->state == BOARD_STOPPED_AT_HALT) {
        list->state = BOARD_STOPPED_AT_END;
        start(v3d, list);
    }
}

void board_list_write(struct board_v3d *v3d, unsigned n, enum board_register first, uint32_t value)
{
    struct board_list *list = &v3d->list[n];
    switch (first) {
    case V3D_CT0CS:
        control(v3d, n, value);
        break;
    case V3D_CT0EA:
        list->ea = value;
        if (list->state == BOARD_STOPPED_AT_END)
            start(v3d, list);
        break;
    case V3D_CT0CA:
        if (list->state == BOARD_RUNNING)
            break;
        list->ca = value;
        list->state = BOARD_STOPPED_AT_END;
        break;
    case V3D_CT0LC:
        if (value & CTLC_CLEAR_FLUSHES)
            list->flushes = (uint16_t)-atomic_load(&list->monitor.flushes);
        if (value & CTLC_CLEAR_RETURNS)
            list->returns = (uint16_t)-atomic_load(&list->monitor.returns);
        break;
    default: /* read only */
        break;
    }
}

uint32_t board_pcs(const struct board_v3d *v3d)
{
    const struct board_list *bin = &v3d->list[BOARD_BIN], *render = &v3d->list[BOARD_RENDER];
    uint32_t value = 0;
    if (bin->is_executing)
        value |= PCS_BIN_ACTIVE | (bin->is_waiting ? PCS_OUT_OF_MEMORY : PCS_BIN_BUSY);
    if (render->is_executing)
        value |= PCS_RENDER_ACTIVE | (render->is_waiting ? 0 : PCS_RENDER_BUSY);
    return value;
}
