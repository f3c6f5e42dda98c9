/* What the program writes to stdout and reads from stdin: looked at in stdio's own buffers on each event. Part of runtime.c.
 *
 * stdout has a buffer that holds all of a line's output. It is emptied where stdio would have emptied its own, so that
 * a program that is killed leaves what it would have left.
 */
#ifndef WL_STREAMS_H
#define WL_STREAMS_H

#include "changes.h"
#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define BUFFER (8u << 20)
#define BLOCK 4096

static struct {
    FILE *out, *in;
    char *buffer, *inbuffer, *copy;
    u64 seen;  /* bytes of stdout's buffer that are told */
    int mode;  /* as the program set it: _IOFBF, _IOLBF, _IONBF */
    char *read_at, *read_end;
    i64 filled, ended; /* where stdin's file stood when its buffer was last looked at; whether it was at its end */
    char *pending;
    u64 npending, cap; /* written past stdio, not told yet */
    int on;
} io;

static void tell_output(const char *text, u64 n)
{
    struct frame *f = top();
    if (!n || !f || wire.ended)
        return;
    out.n = 0;
    out.over = 0;
    if (n <= out.max)
        put_string((const u8 *)text, n);
    if (out.over || n > out.max) {
        u64 max = out.max;
        out.n = 0;
        out.over = 0;
        out.max = max + 256;
        put_cut("str", n);
        out.max = max;
    }
    count_step();
    switch_to(f->serial);
    record_numbered(T_OUTPUT, f->line, out.base, out.n);
}

static void tell_input(const char *text, u64 n)
{
    struct frame *f = top();
    if (!n || !f || wire.ended)
        return;
    out.n = 0;
    out.over = 0;
    if (n <= out.max)
        put_string((const u8 *)text, n);
    if (out.over || n > out.max)
        return;
    record_texts(T_HIDDEN, "input", 5, out.base, out.n);
    count_step();
    switch_to(f->serial);
    record_numbered(T_INPUT, f->line, out.base, out.n);
}

static ssize_t plain_write(int fd, const void *p, size_t n)
{
    return syscall(SYS_write, fd, p, n);
}

/* Writes out what stdio would have written out by now. */
static void empty_stdout(u64 held)
{
    u64 n = io.mode == _IONBF ? held : held > BLOCK ? (held - 1) / BLOCK * BLOCK : 0;
    if (io.mode == _IOLBF && held) {
        char *last = memrchr(io.buffer, '\n', held);
        if (last && (u64)(last + 1 - io.buffer) > n)
            n = last + 1 - io.buffer;
    }
    u64 at = 0;
    while (at < n) {
        ssize_t k = plain_write(1, io.buffer + at, n - at);
        if (k <= 0)
            break;
        at += k;
    }
    if (n) {
        memmove(io.buffer, io.buffer + n, held - n);
        io.out->_IO_write_ptr -= n;
        io.seen -= n;
    }
}

static int ours(void) { return io.out && io.out->_IO_write_base == io.buffer && io.out->_IO_buf_base == io.buffer; }

static void look_at_stdout(void)
{
    if (io.npending) {
        u64 n = io.npending;
        io.npending = 0;
        tell_output(io.pending, n);
    }
    if (!ours())
        return;
    u64 held = io.out->_IO_write_ptr - io.buffer;
    if (held > io.seen) {
        tell_output(io.buffer + io.seen, held - io.seen);
        io.seen = held;
    }
    if (held > BLOCK || (held && io.mode != _IOFBF))
        empty_stdout(held);
}

/* What was read and is no longer in stdin's buffer: the end of the file was asked for before anyone looked. */
static void tell_unseen(u64 held)
{
    i64 at = syscall(SYS_lseek, 0, 0, SEEK_CUR), n = at - io.filled - (i64)held;
    if (at >= 0 && n > 0 && n <= BUFFER) {
        char *text = own_map(n);
        if (syscall(SYS_pread64, 0, text, n, io.filled) == n)
            tell_input(text, n);
        own_free(text, n);
    }
    io.filled = at > 0 ? at : 0;
    io.ended = (io.in->_flags & _IO_EOF_SEEN) != 0;
}

static inline int at_end(void) { return io.in->_flags & _IO_EOF_SEEN && !io.ended && io.in->_IO_read_end == io.inbuffer; }

static void look_at_stdin(void)
{
    FILE *f = io.in;
    if (!f || f->_IO_buf_base != io.inbuffer || f->_IO_read_base != io.inbuffer)
        return;
    if (f->_IO_read_ptr == io.read_at && f->_IO_read_end == io.read_end) {
        if (at_end())
            tell_unseen(0);
        return;
    }
    if (f->_IO_read_end != io.read_end || !io.read_at) { /* filled anew: what was left of the old is in the copy */
        u64 left = io.read_end && io.copy ? (u64)(io.read_end - io.read_at) : 0, from = io.read_at - io.inbuffer;
        if (left && left < BUFFER)
            tell_input(io.copy + from, left);
        u64 n = f->_IO_read_end - io.inbuffer;
        tell_unseen(n);
        if (!io.copy)
            io.copy = own_map(BUFFER);
        memcpy(io.copy, io.inbuffer, n);
        io.read_end = f->_IO_read_end;
        io.read_at = io.inbuffer;
    }
    if (f->_IO_read_ptr > io.read_at)
        tell_input(io.read_at, f->_IO_read_ptr - io.read_at);
    io.read_at = f->_IO_read_ptr;
}

/* What was written before the newest read is told already (reads.h): what is new of the output came last. */
static inline void flush_streams(void)
{
    if (!io.on)
        return;
    if (io.in && (io.in->_IO_read_ptr != io.read_at || io.in->_IO_read_end != io.read_end || at_end()))
        look_at_stdin();
    if (io.npending || (io.out->_IO_write_ptr - io.buffer) != (i64)io.seen || (io.seen && io.mode != _IOFBF))
        look_at_stdout();
}

static void open_streams(void)
{
    io.buffer = own_map(BUFFER);
    io.inbuffer = own_map(BUFFER);
    io.out = stdout;
    io.in = stdin;
    io.mode = _IOFBF;
    int (*set)(FILE *, char *, int, size_t) = dlsym(RTLD_NEXT, "setvbuf");
    if (set) {
        set(stdout, io.buffer, _IOFBF, BUFFER);
        set(stdin, io.inbuffer, _IOFBF, BUFFER);
    }
    io.on = 1;
}

/* ---- functions that stand before libc's, so that nothing is written unseen */

extern u64 wl_gate;
static void outside_event(void);
static void note_said(const void *p, u64 n);

WEAK int setvbuf(FILE *f, char *buffer, int mode, size_t size)
{
    static int (*real)(FILE *, char *, int, size_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "setvbuf");
    if (io.on && f == io.out) {
        io.mode = mode;
        return 0;
    }
    if (io.on && f == io.in)
        return 0;
    return real(f, buffer, mode, size);
}
WEAK void setbuf(FILE *f, char *buffer) { setvbuf(f, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ); }
WEAK void setbuffer(FILE *f, char *buffer, size_t size) { setvbuf(f, buffer, buffer ? _IOFBF : _IONBF, size); }
WEAK void setlinebuf(FILE *f) { setvbuf(f, NULL, _IOLBF, 0); }

WEAK int fflush(FILE *f)
{
    static int (*real)(FILE *);
    if (!real)
        real = dlsym(RTLD_NEXT, "fflush");
    int mine = io.on && (!f || f == io.out) && ours();
    if (mine)
        outside_event();
    int result = real(f);
    if (mine && ours())
        io.seen = io.out->_IO_write_ptr - io.buffer;
    return result;
}

WEAK int fclose(FILE *f)
{
    static int (*real)(FILE *);
    if (!real)
        real = dlsym(RTLD_NEXT, "fclose");
    if (io.on && f == io.out) {
        outside_event();
        io.out = NULL;
        io.on = 0;
    }
    return real(f);
}

static void remember(const void *p, u64 n)
{
    if (io.npending + n > io.cap) {
        u64 cap = (io.npending + n) * 2;
        io.pending = own_grow(io.pending, io.cap, cap);
        io.cap = cap;
    }
    memcpy(io.pending + io.npending, p, n);
    io.npending += n;
}

WEAK ssize_t write(int fd, const void *p, size_t n)
{
    ssize_t done = plain_write(fd, p, n);
    if (fd == 1 && done > 0 && io.on && wl_gate)
        remember(p, done);
    else if (fd == 2 && done > 0 && io.on && wl_gate)
        note_said(p, done);
    return done;
}

static int hold(void);
static void let_go(void);

#ifdef CONTROLLED
static ssize_t draw_read(int fd, u8 *p, ssize_t done, u64 most, i64 from);
#endif

/* Rust's library reads so, and C++'s where it does not share stdio's buffer: what came is told, not what is taken of it. */
WEAK ssize_t read(int fd, void *p, size_t n)
{
    static ssize_t (*real)(int, void *, size_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "read");
#ifdef CONTROLLED
    i64 from = fd ? syscall(SYS_lseek, fd, 0, SEEK_CUR) : 0;
    ssize_t done = real(fd, p, n);
    done = fd ? draw_read(fd, p, done, n, from) : done;
#else
    ssize_t done = real(fd, p, n);
#endif
    int was = errno;
    if (fd == 0 && done > 0 && io.on && hold()) {
        flush_streams();
        tell_input(p, done);
        io.filled += done;
        let_go();
    }
    errno = was;
    return done;
}

WEAK ssize_t writev(int fd, const struct iovec *all, int n)
{
    ssize_t done = syscall(SYS_writev, fd, all, n);
    if ((fd == 1 || fd == 2) && io.on && wl_gate) {
        u64 left = done > 0 ? done : 0;
        for (int i = 0; i < n && left; i++) {
            u64 k = all[i].iov_len < left ? all[i].iov_len : left;
            if (fd == 1)
                remember(all[i].iov_base, k);
            else
                note_said(all[i].iov_base, k);
            left -= k;
        }
    }
    return done;
}

#endif
