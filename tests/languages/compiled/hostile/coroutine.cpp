// outcome: returned
// flags: -std=c++20
// delta: total=3
#include <coroutine>
struct Numbers {
    struct promise_type {
        int value = 0;
        Numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) {
            value = v;
            return {};
        }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};
static Numbers count(int n) {
    for (int i = 0; i < n; i++)
        co_yield i;
}
int main() {
    Numbers numbers = count(3);
    int total = 0;
    while (numbers.handle.resume(), !numbers.handle.done())
        total += numbers.handle.promise().value;
    numbers.handle.destroy();
    return total == 3 ? 0 : 1;
}
