import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Scanner;

public class Reading {
    static class BadWord extends Exception {
        final String word;

        BadWord(String word) {
            super("bad word: " + word);
            this.word = word;
        }
    }

    static int eval(Deque<Integer> stack, String word) throws BadWord {
        switch (word) {
            case "+" -> stack.push(stack.pop() + stack.pop());
            case "*" -> stack.push(stack.pop() * stack.pop());
            default -> {
                try {
                    stack.push(Integer.parseInt(word));
                } catch (NumberFormatException e) {
                    throw new BadWord(word);
                }
            }
        }
        return stack.peek();
    }

    public static void main(String[] args) throws BadWord {
        Scanner in = new Scanner(System.in);
        int lines = Integer.parseInt(in.nextLine().trim());
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < lines; i++) {
            Deque<Integer> stack = new ArrayDeque<>();
            String line = in.nextLine();
            for (String word : line.split(" ")) {
                counts.merge(word, 1, Integer::sum);
                eval(stack, word);
            }
            System.out.printf("%s = %d%n", line, stack.pop());
        }
        System.out.println(counts.get("+"));
        System.out.println(in.hasNextLine());
        eval(new ArrayDeque<>(), "x");
    }
}
