/* SPDX-License-Identifier: MIT
 *
 * Data that the parts of a page share while it is written. Private to this module.
 */
#ifndef INSPECT_PAGE_H
#define INSPECT_PAGE_H

#include "inspect/inspect_estimate.h"
#include "inspect/inspect_state.h"

/* A program of the frame, with its counts summed over all works. */
struct inspect_page_program {
    enum model_stage stage;
    uint32_t count;
    const uint64_t *words; /* in the stats of the first work that runs it */
    uint64_t *executed;
    uint64_t runs, instrs;
    uint32_t works; /* number of works that ran it */
    const struct inspect_program_info *info;
};

/* What a line of source code costs. */
struct inspect_line_cost {
    uint32_t file, line; /* line 0: of instructions whose line is unknown */
    uint32_t instrs;     /* instructions of the program */
    uint64_t executed, lookups;
    bool is_shown; /* has a row of the text */
};

struct inspect_page {
    struct inspect_frame *frame;
    struct inspect_text *out;
    struct inspect_page_program *programs;
    uint32_t program_count;
    struct model_costs total; /* of all works */
};

const char *inspect_stage_name(enum model_stage stage);

/* inspect_programs.c. False when out of memory; some programs are then missing. */
bool inspect_collect_programs(struct inspect_page *page);
void inspect_free_programs(struct inspect_page *page);
/* Index of a work's program in `programs`; UINT32_MAX: none. */
uint32_t inspect_page_program(const struct inspect_page *page, const struct model_program_stats *program);
void inspect_put_programs(const struct inspect_page *page);
void inspect_put_program_link(const struct inspect_page *page, uint32_t index);

/* inspect_source.c: the costs by file and line, in order; they add up to the program's. NULL when no lines are known,
 * or out of memory. The caller frees them. */
struct inspect_line_cost *inspect_line_costs(const struct inspect_page_program *p, uint32_t *count_out);
void inspect_put_source(const struct inspect_page *page, uint32_t index);
/* The id of a line's row. */
void inspect_put_line_id(struct inspect_text *out, uint32_t index, const struct inspect_line *line);

/* inspect_lists.c: control list, shader records, uniforms of a job. */
void inspect_put_lists(const struct inspect_page *page, const struct inspect_work *work);

/* inspect_heat.c: heat maps of the tiles' costs. */
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
