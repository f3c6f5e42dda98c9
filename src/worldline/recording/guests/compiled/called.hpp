// What stands between a C++ program and the call that is written behind it: parameter types, texts that convert.
#include <string>
#include <tuple>
#include <type_traits>
template <class F> struct wl_signature;
template <class R, class... A> struct wl_signature<R(A...)> {
    template <unsigned N> using at = std::tuple_element_t<N, std::tuple<A...>>;
};
template <class R, class... A> struct wl_signature<R(A...) noexcept> : wl_signature<R(A...)> {};
struct wl_text {
    const char *text;
    unsigned long size;
    operator std::string() const { return std::string(text, size); }
    operator const char *() const { return text; }
    operator char() const { return *text; }
};
