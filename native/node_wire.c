/* The wire of a Node.js program, mapped: `map(fd)` gives its memory as an ArrayBuffer and closes the descriptor.

   An N-API addon, so that one build serves every version of Node.js. The few prototypes that it needs are declared here:
   they are a stable interface, and the headers of Node.js are rarely installed. It knows nothing of records. */

#include <stddef.h>
#include <stdint.h>
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

#define MOST 0xffffffffLL /* bytes of an array in Node.js 20; wire.js counts on no more */

/* Memory of the wire stays mapped until the process ends. */
static void keep(napi_env env, void *data, void *hint) { (void)env, (void)data, (void)hint; }

static napi_value map(napi_env env, napi_callback_info info) {
    size_t count = 1;
    napi_value argument, buffer;
    int32_t fd;
    struct stat about;
    if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) || count < 1 || napi_get_value_int32(env, argument, &fd))
        return NULL;
    if (fstat(fd, &about) || about.st_size <= 0)
        return NULL;
    size_t size = about.st_size > MOST ? (size_t)MOST : (size_t)about.st_size;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (napi_create_external_arraybuffer(env, memory, size, keep, NULL, &buffer)) {
        munmap(memory, size);
        return NULL;
    }
    close(fd);
    return buffer;
}

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    napi_value function;
    return napi_create_function(env, "map", 3, map, NULL, &function) ? exports : function;
}

__attribute__((visibility("default"))) int32_t node_api_module_get_api_version_v1(void) { return 8; }
