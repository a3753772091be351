/* SPDX-License-Identifier: MIT
 *
 * What the files of the machine "vc4" share.
 */
#ifndef HW_ARM_VC4_BOARD_H
#define HW_ARM_VC4_BOARD_H

#include "hw/boards.h"

/* Adds a node to the device tree, with registers unless `size_B` is 0, and an interrupt (SPI) unless `irq` is negative.
 * A node that is added later comes earlier in the tree. */
void vc4_add_node(void *fdt, const char *name, const char *compatible, uint64_t addr, uint64_t size_B, int irq);

/* Creates the display blocks, their console, and their nodes in the device tree. `library` is the path of the library
 * unless -global vc4-display.library gives another; "" leaves it to the linker's search. */
void vc4_add_display(MachineState *machine, const char *library);

#endif
