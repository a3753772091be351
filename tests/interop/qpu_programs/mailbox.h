/* SPDX-License-Identifier: MIT
 *
 * The functions of mailbox.c, with the interface that Raspberry Pi programs expect. `file` is ignored; addresses are
 * bus addresses.
 */
#ifndef MAILBOX_H
#define MAILBOX_H

#define MAILBOX_QPUS_MAX 16 /* programs per execute_qpu call */

#pragma GCC visibility push(default) /* all other symbols are hidden */
int mbox_open(void);
void mbox_close(int file);
unsigned qpu_enable(int file, unsigned enable);
unsigned mem_alloc(int file, unsigned size_B, unsigned align_B, unsigned flags); /* a handle, or 0 */
unsigned mem_free(int file, unsigned handle);
unsigned mem_lock(int file, unsigned handle); /* the address, or 0 */
unsigned mem_unlock(int file, unsigned handle);
void *mapmem(unsigned addr, unsigned size_B);
void unmapmem(void *at, unsigned size_B);
/* At list_addr are `count` pairs of words: the addresses of uniforms and code. Returns 0 when all programs have
 * ended. */
unsigned execute_qpu(int file, unsigned count, unsigned list_addr, unsigned noflush, unsigned timeout_ms);

#pragma GCC visibility pop

#endif
