/* SPDX-License-Identifier: MIT
 *
 * The counter of a timeline semaphore in memory shared between processes: a memfd of one page. The size is sealed, so
 * that no process can truncate the page while others have it mapped. Every process that has the descriptor can write to
 * the page: a malicious one can make the others wait forever or not at all, and nothing worse.
 *
 * Waiters sleep on the page's second word, a futex that counts changes. A process that is killed while it raises the
 * counter may have changed the value without waking anybody, so a sleeping waiter wakes after one second at the latest.
 */
#ifndef VC4VK_COUNTER_H
#define VC4VK_COUNTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <vulkan/vulkan_core.h>

struct vc4vk_counter; /* the page */

/* Whether 64-bit atomics are lock-free on this processor, so that they work between processes. */
bool vc4vk_counter_is_supported(void);

/* Creates a counter. The caller owns the descriptor and the mapping. VK_ERROR_TOO_MANY_OBJECTS or _OUT_OF_HOST_MEMORY.
 */
VkResult vc4vk_counter_create(uint64_t value, int *fd_out, struct vc4vk_counter **out);
/* Maps the counter behind `fd`, which stays the caller's. VK_ERROR_INVALID_EXTERNAL_HANDLE when `fd` is not a counter.
 */
VkResult vc4vk_counter_import(int fd, struct vc4vk_counter **out);
void vc4vk_counter_unmap(struct vc4vk_counter *counter);

uint64_t vc4vk_counter_value(const struct vc4vk_counter *counter);
/* Raises the counter to at least `value` and wakes all waiters. */
void vc4vk_counter_raise(struct vc4vk_counter *counter, uint64_t value);

/* The number of changes, to be passed to vc4vk_counter_wait. Read it before the value, so that no change is missed. */
uint32_t vc4vk_counter_changes(const struct vc4vk_counter *counter);
/* Sleeps until there has been a change since `changes` was read, for one second at most. */
void vc4vk_counter_wait(struct vc4vk_counter *counter, uint32_t changes);
/* Wakes all waiters without changing the value. */
void vc4vk_counter_wake(struct vc4vk_counter *counter);

#endif
