/* SPDX-License-Identifier: MIT
 *
 * V3D, the 3D block of VideoCore IV, as a driver meets it: its registers, its interrupt, its accesses to memory
 * [guide p.82-104]. Around them works the model's GPU half, which executes control lists and QPU programs. A machine
 * emulator maps the registers for its guest, whose unmodified kernel driver then finds a GPU. docs/modules/board.md
 * says what is modelled and what is not.
 *
 * All functions may be called by any thread at any time, board_v3d_destroy() excepted. None waits for the guest's
 * programs to end; a reset waits until they have noticed it, which takes milliseconds.
 */
#ifndef BOARD_V3D_H
#define BOARD_V3D_H

#include <stdbool.h>
#include <stdint.h>

#define BOARD_V3D_API
#if defined(__GNUC__)
#undef BOARD_V3D_API
#define BOARD_V3D_API __attribute__((visibility("default")))
#endif

#define BOARD_V3D_SIZE_B  0x1000u /* of the register block */
#define BOARD_V3D_VERSION 1u      /* of this interface: changes with any incompatible change */

struct board_v3d;

/* The machine around the block. */
struct board_v3d_machine {
    uint8_t *memory;        /* what the block can access; must stay mapped for the block's life */
    uint32_t memory_addr;   /* bus address of the first byte: a multiple of 4096 */
    uint32_t memory_size_B; /* the range must end below 4 GiB */
    /* The interrupt line may have changed: board_v3d_interrupt() tells its level. Called by any thread, also from
     * within board_v3d_write(), and with none of the block's locks held; must not call board_v3d_destroy(). */
    void (*interrupt_changed)(void *data);
    void *data;        /* of interrupt_changed() */
    unsigned threads;  /* that may render at the same time; 0: as many as there are processors */
    uint32_t limit_ms; /* processor time after which a list, a tile or a user program counts as hung; 0: 10 s */
    /* Writing 0 to VPMBASE resets the block. For machines without a power domain, where the write is the only sign of a
     * driver that has cycled the power. */
    bool resets_by_vpmbase;
};

/* BOARD_V3D_VERSION of the library, to be compared by those who load it at run time. */
BOARD_V3D_API unsigned board_v3d_version(void);

/* 0, -EINVAL for a machine that cannot be, or -ENOMEM or -EAGAIN for want of memory or threads. */
BOARD_V3D_API int board_v3d_create(const struct board_v3d_machine *machine, struct board_v3d **out);
/* Ends all lists and programs first. NULL is accepted. */
BOARD_V3D_API void board_v3d_destroy(struct board_v3d *v3d);

/* Accesses of the guest's processor: words at multiples of 4 below BOARD_V3D_SIZE_B. Elsewhere, and where there is no
 * register, reads give 0 and writes are ignored. */
BOARD_V3D_API uint32_t board_v3d_read(struct board_v3d *v3d, uint32_t offset);
BOARD_V3D_API void board_v3d_write(struct board_v3d *v3d, uint32_t offset, uint32_t value);

/* Whether the interrupt line is high. */
BOARD_V3D_API bool board_v3d_interrupt(struct board_v3d *v3d);

/* Switches the power off and on again: ends all lists and programs, and gives each register its value after a reset. */
BOARD_V3D_API void board_v3d_reset(struct board_v3d *v3d);

#endif
