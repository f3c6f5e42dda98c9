const SIZE: usize = 4;
fn neighbours(grid: &[[bool; SIZE]; SIZE], row: usize, column: usize) -> u8 {
    let mut count = 0;
    let mut r = if row > 0 { row - 1 } else { 0 };
    while r <= row + 1 && r < SIZE {
        let mut c = if column > 0 { column - 1 } else { 0 };
        while c <= column + 1 && c < SIZE {
            if grid[r][c] && (r, c) != (row, column) {
                count += 1;
            }
            c += 1;
        }
        r += 1;
    }
    return count;
}
fn main() {
    let mut grid = [[false; SIZE]; SIZE];
    grid[1] = [true, true, true, false];
    let mut alive = 0;
    let mut most = 0;
    let mut row = 0;
    while row < 3 {
        let around = neighbours(&grid, row, 1);
        let lives = around == 3 || (grid[row][1] && around == 2);
        if lives {
            alive += 1;
        }
        most = if around > most { around } else { most };
        row += 1;
    }
    println!("{} {}", alive, most);
}
