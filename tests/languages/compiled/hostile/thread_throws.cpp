// outcome: killed SIGABRT
#include <thread>
int main() {
    std::thread worker([] { throw 1; });
    worker.join();
    return 0;
}
