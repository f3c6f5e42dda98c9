/* The wire of a Node.js program, mapped: `map(fd)` closes the descriptor and gives an array of its first memory as an
   ArrayBuffer, its size, and a function that gives all of it. An ArrayBuffer of hundreds of megabytes makes V8 collect garbage
   at once, which costs a small program more than its own run; so all of it is asked for only when it is needed.

   An N-API addon, so that one build serves every version of Node.js. The few prototypes that it needs are declared here:
   they are a stable interface, and the headers of Node.js are rarely installed. It knows nothing of records. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef int napi_status;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
typedef void (*napi_finalize)(napi_env, void *, void *);

extern napi_status napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *, napi_value *, void **);
extern napi_status napi_get_value_int32(napi_env, napi_value, int32_t *);
extern napi_status napi_create_external_arraybuffer(napi_env, void *, size_t, napi_finalize, void *, napi_value *);
extern napi_status napi_create_function(napi_env, const char *, size_t, napi_callback, void *, napi_value *);
extern napi_status napi_create_array(napi_env, napi_value *);
extern napi_status napi_create_double(napi_env, double, napi_value *);
extern napi_status napi_set_element(napi_env, napi_value, uint32_t, napi_value);

enum { FIRST = 8 << 20 }; /* V8 takes 32 MiB in new buffers before it collects */

struct whole {
    void *memory;
    size_t size;
};

#define MOST 0xffffffffLL /* bytes of an array in Node.js 20; wire.js counts on no more */

/* Memory of the wire stays mapped until the process ends. */
static void keep(napi_env env, void *data, void *hint) { (void)env, (void)data, (void)hint; }

static napi_value buffer_of(napi_env env, void *memory, size_t size) {
    napi_value buffer;
    return napi_create_external_arraybuffer(env, memory, size, keep, NULL, &buffer) ? NULL : buffer;
}

/* Only who was given this function has what it gives. */
static napi_value all(napi_env env, napi_callback_info info) {
    struct whole *whole;
    size_t count = 0;
    if (napi_get_cb_info(env, info, &count, NULL, NULL, (void **)&whole))
        return NULL;
    return buffer_of(env, whole->memory, whole->size);
}

static napi_value told(napi_env env, void *first, struct whole *whole) {
    napi_value list, part[3];
    part[0] = buffer_of(env, first, whole->size < FIRST ? whole->size : FIRST);
    if (!part[0] || napi_create_double(env, (double)whole->size, &part[1]))
        return NULL;
    if (napi_create_function(env, "all", 3, all, whole, &part[2]) || napi_create_array(env, &list))
        return NULL;
    for (uint32_t i = 0; i < 3; i++)
        if (napi_set_element(env, list, i, part[i]))
            return NULL;
    return list;
}

static napi_value map(napi_env env, napi_callback_info info) {
    size_t count = 1;
    napi_value argument;
    int32_t fd;
    struct stat about;
    if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) || count < 1 || napi_get_value_int32(env, argument, &fd))
        return NULL;
    struct whole *whole = malloc(sizeof *whole);
    if (!whole || fstat(fd, &about) || about.st_size <= 0) {
        free(whole);
        return NULL;
    }
    whole->size = about.st_size > MOST ? (size_t)MOST : (size_t)about.st_size;
    /* Twice, so that no two buffers have one address. */
    whole->memory = mmap(NULL, whole->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void *first = mmap(NULL, whole->size < FIRST ? whole->size : FIRST, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    napi_value found = whole->memory == MAP_FAILED || first == MAP_FAILED ? NULL : told(env, first, whole);
    if (found)
        close(fd); /* without the mapping it is written to */
    return found;
}

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    napi_value function;
    return napi_create_function(env, "map", 3, map, NULL, &function) ? exports : function;
}

__attribute__((visibility("default"))) int32_t node_api_module_get_api_version_v1(void) { return 8; }
