#include <stdio.h>
static int steps;
static void swap(int *a, int *b) {
    int kept = *a;
    *a = *b;
    *b = kept;
    steps++;
}
static int partition(int *cells, int low, int high) {
    int pivot = cells[high];
    int i = low;
    for (int j = low; j < high; j++) {
        if (cells[j] < pivot) {
            swap(&cells[i], &cells[j]);
            i++;
        }
    }
    swap(&cells[i], &cells[high]);
    return i;
}
static void sort(int *cells, int low, int high) {
    if (low >= high)
        return;
    int middle = partition(cells, low, high);
    sort(cells, low, middle - 1);
    sort(cells, middle + 1, high);
}
int main(void) {
    int cells[8] = {5, 2, 9, 1, 7, 3, 8, 6};
    sort(cells, 0, 7);
    double mean = 0;
    for (int i = 0; i < 8; i++)
        mean += cells[i] / 8.0;
    printf("%d %f\n", steps, mean);
    return 0;
}
