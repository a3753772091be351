/* SPDX-License-Identifier: MIT
 *
 * Intrusive, circular, doubly linked list. The head is a link like the others.
 */
#ifndef UTIL_LIST_H
#define UTIL_LIST_H

#include "util/macros.h"

struct util_list {
    struct util_list *prev, *next;
};

static inline void util_list_init(struct util_list *head)
{
    head->prev = head->next = head;
}

static inline bool util_list_is_empty(const struct util_list *head)
{
    return head->next == head;
}

static inline void util_list_add_after(struct util_list *at, struct util_list *item)
{
    item->prev = at;
    item->next = at->next;
    at->next->prev = item;
    at->next = item;
}

static inline void util_list_add_before(struct util_list *at, struct util_list *item)
{
    util_list_add_after(at->prev, item);
}

static inline void util_list_add_head(struct util_list *head, struct util_list *item)
{
    util_list_add_after(head, item);
}

static inline void util_list_add_tail(struct util_list *head, struct util_list *item)
{
    util_list_add_after(head->prev, item);
}

/* Leaves the item as an empty list, so removing it twice is harmless. */
static inline void util_list_del(struct util_list *item)
{
    item->prev->next = item->next;
    item->next->prev = item->prev;
    util_list_init(item);
}

/* Moves all items of `from` to the end of `to`; `from` is empty afterwards. */
static inline void util_list_splice_tail(struct util_list *to, struct util_list *from)
{
    if (util_list_is_empty(from))
        return;
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    util_list_init(from);
}

#define util_list_entry(link, type, member) container_of(link, type, member)
#define util_list_first(head, type, member) container_of((head)->next, type, member)
#define util_list_last(head, type, member)  container_of((head)->prev, type, member)

#define util_list_for_each(type, it, head, member)                                                                     \
    for (type *it = container_of((head)->next, type, member); &it->member != (head);                                   \
         it = container_of(it->member.next, type, member))

/* The current item may be removed or freed in the body. */
#define util_list_for_each_safe(type, it, head, member)                                                                \
    for (type *it = container_of((head)->next, type, member),                                                          \
              *it##_next = container_of(it->member.next, type, member);                                                \
         &it->member != (head); it = it##_next, it##_next = container_of(it##_next->member.next, type, member))

#endif
