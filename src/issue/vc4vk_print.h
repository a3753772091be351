/* SPDX-License-Identifier: MIT
 *
 * What shaders print (NonSemantic.DebugPrintf). A program that prints has print memory of its own in each job
 * (vc4c.h); when the job has run, its messages go to the messengers of the instance, as information, and to stderr
 * under VC4VK_DEBUG=printf.
 */
#ifndef ISSUE_VC4VK_PRINT_H
#define ISSUE_VC4VK_PRINT_H

#include "pipeline/vc4vk_pipeline.h"

/* Raises the messages in a program's print memory, and clears it. They are delivered as all messages of the driver are:
 * without a lock, on a thread that nobody waits for (util/log.h). */
void vc4vk_print_messages(const struct vc4c_program *program, uint32_t *memory);

#endif
