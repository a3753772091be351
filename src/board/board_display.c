/* SPDX-License-Identifier: MIT
 *
 * The display blocks as one object: life, dispatch of accesses to the blocks, and the host's thread that begins frames.
 * The DPI output is here, too, for it is one register: which wires carry a colour changes nothing in the picture.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "board/board_display_private.h"
#include "util/thread.h"

#define PAGE_B 4096u

unsigned board_display_version(void)
{
    return BOARD_DISPLAY_VERSION;
}

uint32_t board_display_size_B(enum board_display_block block)
{
    switch (block) {
    case BOARD_DISPLAY_HVS:
        return HVS_LIST_END;
    case BOARD_DISPLAY_PV0:
    case BOARD_DISPLAY_PV1:
    case BOARD_DISPLAY_PV2:
        return PV_SIZE_B;
    case BOARD_DISPLAY_DPI:
        return DPI_SIZE_B;
    case BOARD_DISPLAY_BLOCKS:
        break;
    }
    return 0;
}

static bool is_valve(enum board_display_block block)
{
    return block >= BOARD_DISPLAY_PV0 && block <= BOARD_DISPLAY_PV2;
}

/* -- interrupts ---------------------------------------------------------------------------------------------------- */

static bool interrupt_level(const struct board_display *display, enum board_display_block block)
{
    if (block == BOARD_DISPLAY_HVS)
        return display_hvs_interrupt(display);
    return is_valve(block) && display_valve_interrupt(display, block - BOARD_DISPLAY_PV0);
}

static unsigned interrupt_levels(const struct board_display *display)
{
    unsigned levels = 0;
    for (unsigned block = 0; block < BOARD_DISPLAY_BLOCKS; block++)
        levels |= interrupt_level(display, (enum board_display_block)block) ? BIT(block) : 0;
    return levels;
}

/* Unlocks the mutex, and tells the machine of interrupts whose level is another than `before`, and of frames. */
static void unlock_and_tell(struct board_display *display, unsigned before)
{
    const struct board_display_machine *machine = &display->machine;
    const unsigned changed = interrupt_levels(display) ^ before, shown = display->shown;
    display->shown = 0;
    pthread_mutex_unlock(&display->mutex);
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++)
        if ((shown & BIT(screen)) && machine->frame_shown)
            machine->frame_shown(machine->data, screen);
    for (unsigned block = 0; block < BOARD_DISPLAY_BLOCKS; block++)
        if ((changed & BIT(block)) && machine->interrupt_changed)
            machine->interrupt_changed(machine->data, (enum board_display_block)block);
}

bool board_display_interrupt(struct board_display *display, enum board_display_block block)
{
    pthread_mutex_lock(&display->mutex);
    const bool level = interrupt_level(display, block);
    pthread_mutex_unlock(&display->mutex);
    return level;
}

/* -- registers ----------------------------------------------------------------------------------------------------- */

static uint32_t read_register(struct board_display *display, enum board_display_block block, uint32_t offset)
{
    if (block == BOARD_DISPLAY_HVS)
        return display_hvs_read(display, offset);
    if (is_valve(block))
        return display_valve_read(display, block - BOARD_DISPLAY_PV0, offset);
    return offset == DPI_C ? display->dpi_c : DPI_ID_VALUE;
}

static void write_register(struct board_display *display, enum board_display_block block, uint32_t offset,
                           uint32_t value)
{
    if (block == BOARD_DISPLAY_HVS)
        display_hvs_write(display, offset, value);
    else if (is_valve(block))
        display_valve_write(display, block - BOARD_DISPLAY_PV0, offset, value);
    else if (offset == DPI_C)
        display->dpi_c = value & DPI_C_MASK;
}

uint32_t board_display_read(struct board_display *display, enum board_display_block block, uint32_t offset)
{
    if (offset & 3 || offset >= board_display_size_B(block))
        return 0;
    pthread_mutex_lock(&display->mutex);
    const uint32_t value = read_register(display, block, offset);
    pthread_mutex_unlock(&display->mutex);
    return value;
}

void board_display_write(struct board_display *display, enum board_display_block block, uint32_t offset, uint32_t value)
{
    if (offset & 3 || offset >= board_display_size_B(block))
        return;
    pthread_mutex_lock(&display->mutex);
    const unsigned before = interrupt_levels(display);
    write_register(display, block, offset, value);
    unlock_and_tell(display, before);
}

void board_display_reset(struct board_display *display)
{
    pthread_mutex_lock(&display->mutex);
    const unsigned before = interrupt_levels(display);
    display_hvs_reset(display);
    display->dpi_c = 0;
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++) {
        memset(display->valve[screen].reg, 0, sizeof display->valve[screen].reg);
        display_valve_update(display, screen);
    }
    unlock_and_tell(display, before);
}

/* -- pictures ------------------------------------------------------------------------------------------------------ */

bool board_display_mode(struct board_display *display, unsigned screen, uint32_t *width_px_out, uint32_t *height_px_out)
{
    *width_px_out = *height_px_out = 0;
    if (screen >= BOARD_DISPLAY_SCREENS)
        return false;
    pthread_mutex_lock(&display->mutex);
    const bool is_on = display->valve[screen].is_running;
    if (is_on)
        display_valve_size(display, screen, width_px_out, height_px_out);
    pthread_mutex_unlock(&display->mutex);
    return is_on;
}

bool board_display_compose(struct board_display *display, unsigned screen, uint32_t *pixels, uint32_t width_px,
                           uint32_t height_px, uint32_t stride_px)
{
    for (uint32_t y = 0; y < height_px; y++)
        memset(pixels + (size_t)y * stride_px, 0, (size_t)width_px * 4);
    if (screen >= BOARD_DISPLAY_SCREENS)
        return false;
    pthread_mutex_lock(&display->compose_mutex);
    struct display_picture *picture = &display->picture;
    pthread_mutex_lock(&display->mutex);
    picture->is_on = display->valve[screen].is_running;
    if (picture->is_on) {
        display_valve_size(display, screen, &picture->width_px, &picture->height_px);
        display_hvs_picture(display, screen, picture);
    }
    pthread_mutex_unlock(&display->mutex);
    const bool is_on = picture->is_on;
    if (is_on) {
        const struct display_surface out = {
            .pixels = pixels,
            .width_px = MIN2(width_px, picture->width_px),
            .height_px = MIN2(height_px, picture->height_px),
            .stride_px = stride_px,
        };
        display_compose(display->composer, picture, &display->memory, &out);
    }
    pthread_mutex_unlock(&display->compose_mutex);
    return is_on;
}

/* -- life ---------------------------------------------------------------------------------------------------------- */

/* The thread that begins frames. */
static void *thread_main(void *arg)
{
    struct board_display *display = arg;
    pthread_mutex_lock(&display->mutex);
    while (!display->ends) {
        const unsigned before = interrupt_levels(display);
        const uint64_t next_ns = display_valves_advance(display);
        if (display->shown) {
            unlock_and_tell(display, before);
            pthread_mutex_lock(&display->mutex);
        } else {
            (void)util_cond_wait_until(&display->changed, &display->mutex, next_ns);
        }
    }
    pthread_mutex_unlock(&display->mutex);
    return NULL;
}

static bool is_possible(const struct board_display_machine *machine)
{
    return machine->memory && machine->memory_size_B && machine->memory_addr % PAGE_B == 0 &&
           machine->memory_size_B <= UINT32_MAX - machine->memory_addr;
}

int board_display_create(const struct board_display_machine *machine, struct board_display **out)
{
    if (!is_possible(machine))
        return -EINVAL;
    struct board_display *display = calloc(1, sizeof *display);
    if (!display)
        return -ENOMEM;
    display->machine = *machine;
    display->memory = (struct display_memory){machine->memory, machine->memory_addr, machine->memory_size_B};
    display_hvs_reset(display);
    display->composer = display_composer_create();
    pthread_mutex_init(&display->mutex, NULL);
    pthread_mutex_init(&display->compose_mutex, NULL);
    int err = util_cond_init(&display->changed) || !display->composer ? -ENOMEM : 0;
    if (!err && util_thread_create(&display->thread, "display", thread_main, display))
        err = -EAGAIN;
    display->has_thread = !err;
    if (err) {
        board_display_destroy(display);
        return err;
    }
    *out = display;
    return 0;
}

void board_display_destroy(struct board_display *display)
{
    if (!display)
        return;
    if (display->has_thread) {
        pthread_mutex_lock(&display->mutex);
        display->ends = true;
        pthread_cond_broadcast(&display->changed);
        pthread_mutex_unlock(&display->mutex);
        pthread_join(display->thread, NULL);
    }
    display_composer_destroy(display->composer);
    pthread_cond_destroy(&display->changed);
    pthread_mutex_destroy(&display->compose_mutex);
    pthread_mutex_destroy(&display->mutex);
    free(display);
}
