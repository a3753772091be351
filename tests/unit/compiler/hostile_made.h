/* SPDX-License-Identifier: MIT */
#ifndef HOSTILE_MADE_H
#define HOSTILE_MADE_H

#include <stdbool.h>
#include <stdint.h>

struct module {
    uint32_t words[1 << 18], count, next_id;
};

/* Writes hand-written module `number`; false: there are no more. */
bool hostile_make(struct module *m, uint32_t number);
/* Text that the error of module `number` must contain; NULL: the module may compile, or be refused for any reason. */
const char *hostile_expected(uint32_t number);

/* Writes a module with one instruction whose operands are of any kind (hostile_operands.c). */
void hostile_operands(struct module *m, uint64_t *state);

#endif
