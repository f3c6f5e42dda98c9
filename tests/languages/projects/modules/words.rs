pub fn gather(words: Vec<String>) -> String {
    let mut text = String::new();
    let mut at = 0;
    while at < words.len() {
        text.push_str(&words[at]); at += 1;
    }
    drop(words);
    text
}
