public class Roman {
    static int value(char letter) {
        switch (letter) {
            case 'I':
                return 1;
            case 'V':
                return 5;
            case 'X':
                return 10;
            default:
                throw new IllegalArgumentException("no numeral: " + letter);
        }
    }

    static int number(String text) {
        int total = 0;
        int before = 0;
        for (int i = text.length() - 1; i >= 0; i--) {
            int value = value(text.charAt(i));
            if (value < before) {
                total -= value;
            } else {
                total += value;
            }
            before = value;
        }
        return total;
    }

    public static void main(String[] args) {
        long sum = 0;
        int wrong = 0;
        String[] texts = {"XIV", "IX", "A"};
        for (int i = 0; i < texts.length; i++) {
            try {
                int number = number(texts[i]);
                sum += number;
            } catch (IllegalArgumentException error) {
                wrong++;
            }
        }
        System.out.println(sum + " " + wrong);
    }
}
