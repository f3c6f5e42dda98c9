/* The steps themselves: a frame starts, runs a line, raises, is left, goes on.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_STEPS_H
#define WORLDLINE_STEPS_H

#include "deltas.h"

static inline void count_step(void)
{
    if (__builtin_expect(++wire.steps > wire.max_steps, 0))
        limit_reached("steps");
}

static void step_with_text(FrameRec *f, int tag, PyObject *arg)
{
    static Log scratch;
    render_value(arg, &scratch);
    log_clear(&scratch);
    count_step();
    state.newest = NULL;
    switch_to(f);
    uint8_t *p = room(render.out.n + 32);
    *p++ = tag;
    p = put_varint(p, f->line);
    done_text(put_bytes_at(p, render.out.p, render.out.n));
}

static void flush_stream(PyObject **stream, int tag, const char *hidden)
{
    PyObject *text = *stream;
    if (text == NULL)
        return;
    *stream = NULL;
    FrameRec *f = state.top;
    if (f && hidden) {
        static Log scratch;
        render_value(text, &scratch);
        log_clear(&scratch);
        record_texts(T_HIDDEN, hidden, strlen(hidden), render.out.p, render.out.n);
    }
    if (f)
        step_with_text(f, tag, text);
    Py_DECREF(text);
}

static inline void flush_streams(void)
{
    if (__builtin_expect(state.output != NULL, 0))
        flush_stream(&state.output, T_OUTPUT, NULL);
    if (__builtin_expect(state.input != NULL, 0))
        flush_stream(&state.input, T_INPUT, "input");
}

/* The thread of this number, made when it is first asked for. */
static Thread *thread_of(size_t number)
{
    if (number >= threads.n) {
        threads.all = grow(threads.all, (number + 1) * sizeof(Thread));
        memset(threads.all + threads.n, 0, (number + 1 - threads.n) * sizeof(Thread));
        threads.n = number + 1;
    }
    return &threads.all[number];
}

/* Another thread goes on: its frames are those that run. */
static void switch_thread(size_t number, const char *kind, size_t n)
{
    char value[24];
    int length = snprintf(value, sizeof value, "%zu", number);
    if (wire.active)
        flush_streams();
    if (!wire.ended)
        record_texts(T_HIDDEN, kind, n, value, length);
    Thread *before = thread_of(threads.running);
    before->top = state.top;
    before->last = state.last;
    before->last_line = state.last_line;
    Thread *thread = thread_of(number);
    threads.running = number;
    state.newest = NULL;
    state.top = thread->top;
    state.thread = thread->ts;
    state.last = thread->last;
    state.last_line = thread->last_line;
    commit();
}

static void on_call(CodeInfo *info, IFrame *frame)
{
    flush_streams();
    FrameRec *f = new_frame(info, frame);
    if (!info->name_id) {
        info->name_id = name_id(info->code->co_qualname) + 1;
        info->file_id = name_id(info->file) + 1;
    }
    count_step();
    uint8_t *p = room(48);
    *p++ = T_CALL;
    p = put_varint(p, f->serial);
    p = put_varint(p, state.top ? state.top->serial + 1 : 0);
    p = put_varint(p, info->name_id - 1);
    p = put_varint(p, info->file_id - 1);
    done(put_varint(p, f->line));
    wire.frame = f->serial;
    f->below = state.top;
    state.top = state.newest = f;
    if (info->namespace) {
        diff_namespace(f);
    } else {
        memset(f->seen_version, 0xff, info->n_globals * sizeof(uint64_t));
        memset(f->seen_hash, 0, info->n_globals * sizeof(uint64_t));
        diff_locals(f);
        if (info->n_globals) {
            resolve_globals(info, frame->f_globals);
            diff_globals(f, 0);
        }
    }
}

static void on_resume(FrameRec *f)
{
    flush_streams();
    f->below = state.top;
    state.top = f;
    diff(f);
    state.newest = f;
    count_step();
    uint8_t *p = room(24);
    *p++ = T_RESUME;
    p = put_varint(p, wire.frame = f->serial);
    done(put_varint(p, f->line));
}

static inline void on_line(FrameRec *f, uint32_t line)
{
    flush_streams();
    diff(f);
    f->line = line;
    state.newest = f;
    count_step();
    switch_to(f);
    uint8_t *p = room(16);
    *p++ = T_LINE;
    done(put_varint(p, line));
}

/* A conditional jump, or that it was not taken: then the target is the next instruction. */
static void on_jump(FrameRec *f, int offset, int target)
{
    int line, column, end_line, end_column;
    if (!PyCode_Addr2Location(f->info->code, offset, &line, &column, &end_line, &end_column))
        column = -1;
    switch_to(f);
    uint8_t *p = room(48);
    *p++ = T_JUMP;
    p = put_varint(p, offset);
    p = put_varint(p, target);
    done(put_varint(p, column + 1));
}

static void on_raise(FrameRec *f, PyObject *exception)
{
    flush_streams();
    diff(f);
    step_with_text(f, T_RAISE, exception);
}

/* The frame is left: by a value (return or yield), or by an exception (arg NULL). */
static void on_leave(FrameRec *f, PyObject *arg, int suspended)
{
    flush_streams();
    diff(f);
    if (arg)
        step_with_text(f, suspended ? T_YIELD : T_RETURN, arg);
    state.top = f->below;
    state.last = f->serial;
    state.newest = NULL;
    state.last_line = f->line;
    if (suspended && arg)
        map_add(&state.suspended, f->frame, f);
    else
        free_frame(f);
}

/* The record of a frame that goes on, or NULL: nothing is known of it. From 3.13 on a generator may end without an
 * event, and on any version on another thread: then the record is of an earlier frame at this address. */
static FrameRec *take_suspended(IFrame *frame)
{
    Cell *c = map_find(&state.suspended, frame);
    FrameRec *f = c ? c->value : NULL;
    if (c)
        c->value = NULL;
    if (f && f->info->code != frame_code(frame)) {
        free_frame(f);
        f = NULL;
    }
    return f;
}

#if HAS_MONITORING
/* A frame starts at this address: whatever was suspended here has ended. */
static void drop_suspended(IFrame *frame)
{
    FrameRec *f = take_suspended(frame);
    if (f)
        free_frame(f);
}
#endif

#endif
