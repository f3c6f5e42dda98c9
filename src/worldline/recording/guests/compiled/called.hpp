// What stands between a C++ program and the call that is written behind it: parameter types, and values that convert
// to what holds them and to nothing else, so that no character becomes a number and no number is cut.
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
template <class F> struct wl_signature;
template <class R, class... A> struct wl_signature<R(A...)> {
    static constexpr int count = sizeof...(A);
    template <unsigned N> using at = std::tuple_element_t<N, std::tuple<A...>>;
};
template <class R, class... A> struct wl_signature<R(A...) noexcept> : wl_signature<R(A...)> {};
template <class T> using wl_plain = std::remove_cv_t<std::remove_reference_t<T>>;
template <class T, class... Some> constexpr bool wl_one_of = (std::is_same_v<T, Some> || ...);
template <class T, class = void> constexpr bool wl_optional = false;
template <class T> constexpr bool wl_optional<T, std::void_t<decltype(std::declval<T &>().has_value())>> = true;
template <class T>
constexpr bool wl_nullable = !std::is_arithmetic_v<T> && !wl_one_of<T, std::string, std::string_view> &&
                             (wl_optional<T> || std::is_constructible_v<T, std::nullptr_t>);
template <class T, auto V> constexpr bool wl_holds() {
    if constexpr (!std::is_arithmetic_v<T>)
        return false;
    else
        return static_cast<decltype(V)>(static_cast<T>(V)) == V && (static_cast<T>(V) < T(0)) == (V < 0);
}
template <auto V> struct wl_whole {
    template <class T, std::enable_if_t<wl_holds<T, V>(), int> = 0> operator T() const { return static_cast<T>(V); }
};
struct wl_real {
    double value;
    template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0> operator T() const { return T(value); }
};
struct wl_none {
    template <class T, std::enable_if_t<wl_nullable<T>, int> = 0> operator T() const { return T(); }
};
template <unsigned long Size> struct wl_text {
    const char *text;
    template <class T, std::enable_if_t<wl_one_of<T, std::string, std::string_view>, int> = 0> operator T() const {
        return T(text, Size);
    }
    template <class T, std::enable_if_t<wl_one_of<T, const char *> || (Size == 1 && wl_one_of<T, char>), int> = 0>
    operator T() const {
        if constexpr (std::is_same_v<T, char>)
            return *text;
        else
            return text;
    }
};
