#define LARGEST 100
