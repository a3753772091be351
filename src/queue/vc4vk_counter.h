/* SPDX-License-Identifier: MIT
 *
 * The counter of a timeline semaphore in memory that processes share: a memfd of one page, whose size is sealed, so
 * that nobody can take the page away from under the others. Whoever has the descriptor may write what he likes into it:
 * a malicious process can make the others wait forever or not at all, and nothing worse.
 *
 * Sleepers wait for the page's second word, a futex that counts changes. A process that is killed in the middle of
 * raising may have changed the value and woken nobody, so sleepers look again after a second.
 */
#ifndef VC4VK_COUNTER_H
#define VC4VK_COUNTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <vulkan/vulkan_core.h>

struct vc4vk_counter; /* the page */

/* Whether this processor can change 64 bits at once, for other processes too. */
bool vc4vk_counter_is_supported(void);

/* VK_ERROR_TOO_MANY_OBJECTS or _OUT_OF_HOST_MEMORY. Both come from a mapping and a descriptor, which are the caller's.
 */
VkResult vc4vk_counter_create(uint64_t value, int *fd_out, struct vc4vk_counter **out);
/* The page behind the descriptor, which stays the caller's; VK_ERROR_INVALID_EXTERNAL_HANDLE when it is none of ours.
 */
VkResult vc4vk_counter_import(int fd, struct vc4vk_counter **out);
void vc4vk_counter_unmap(struct vc4vk_counter *counter);

uint64_t vc4vk_counter_value(const struct vc4vk_counter *counter);
/* Makes it at least `value` and wakes those who wait. */
void vc4vk_counter_raise(struct vc4vk_counter *counter, uint64_t value);

/* To be read before the value that is looked at, and handed to the wait that comes after. */
uint32_t vc4vk_counter_changes(const struct vc4vk_counter *counter);
/* Sleeps until something has changed since `changes` was read, for a second at most. */
void vc4vk_counter_wait(struct vc4vk_counter *counter, uint32_t changes);
/* Wakes everybody, for nothing. */
void vc4vk_counter_poke(struct vc4vk_counter *counter);

#endif
