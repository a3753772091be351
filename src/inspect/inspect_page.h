/* SPDX-License-Identifier: MIT
 *
 * What the parts of a page share while it is written. Private to this room.
 */
#ifndef INSPECT_PAGE_H
#define INSPECT_PAGE_H

#include "inspect/inspect_estimate.h"
#include "inspect/inspect_state.h"

/* A program of the frame: what all of its jobs have run of it. */
struct inspect_page_program {
    enum model_stage stage;
    uint32_t count;
    const uint64_t *words; /* of the first job that has it */
    uint64_t *executed;
    uint64_t runs, instrs;
    uint32_t works; /* that have run it */
    const struct inspect_known *known;
};

struct inspect_page {
    struct inspect_frame *frame;
    struct inspect_text *out;
    struct inspect_page_program *programs;
    uint32_t program_count;
    struct model_costs total; /* of all works */
};

const char *inspect_stage_name(enum model_stage stage);

/* inspect_programs.c. False: out of memory, then some are missing. */
bool inspect_collect_programs(struct inspect_page *page);
void inspect_free_programs(struct inspect_page *page);
/* The number of a work's program in the page, from 0; UINT32_MAX: none. */
uint32_t inspect_page_program(const struct inspect_page *page, const struct model_program_stats *program);
void inspect_put_programs(const struct inspect_page *page);
void inspect_put_program_link(const struct inspect_page *page, uint32_t index);

/* inspect_lists.c: control list, shader records, uniforms of a job. */
void inspect_put_lists(const struct inspect_page *page, const struct inspect_work *work);

/* inspect_heat.c: costs of tiles as pictures. */
void inspect_put_heat(const struct inspect_page *page, const struct inspect_work *work);

/* inspect_timeline.c */
void inspect_put_timeline(const struct inspect_page *page);

/* inspect_work.c: a job or operation. */
void inspect_put_work(const struct inspect_page *page, const struct inspect_work *work, bool is_open);
void inspect_put_time(struct inspect_text *out, double s);

/* inspect_data.c: all numbers, as JSON. */
void inspect_put_data(const struct inspect_page *page);

/* Generated from page.css and page.js. */
extern const char inspect_page_css[], inspect_page_js[];

#endif
