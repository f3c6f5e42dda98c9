// outcome: killed SIGSEGV
struct Thing {
    int v = 1;
    virtual int get() { return v; }
    virtual ~Thing() = default;
};
int main() {
    Thing *volatile none = nullptr;
    Thing *nobody = none;
    return nobody->get();
}
